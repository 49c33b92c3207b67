// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/** The handler returned, or begins a step, in a transaction that cannot be committed any more. Counts as the handler's failure. */
public final class BrokenTransactionException extends SafeBunnyException {

    BrokenTransactionException(String message, @Nullable Throwable cause) {
        super("SB-3007", message, cause);
    }
}
