// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/**
 * The handler returned or began a step in a transaction that can no longer be committed, or one of its listeners has broken it.
 * Counts as a failure of the handler.
 */
public final class BrokenTransactionException extends SafeBunnyException {

    public BrokenTransactionException(String message, @Nullable Throwable cause) {
        super("SB-3007", message, cause);
    }
}
