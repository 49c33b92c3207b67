// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/** Thrown by a handler to put the message into the poison queue at once, because no retry can help. */
public class PoisonMessageException extends SafeBunnyException {

    public PoisonMessageException(String message) {
        this(message, null);
    }

    public PoisonMessageException(String message, @Nullable Throwable cause) {
        super("SB-3001", message, cause);
    }
}
