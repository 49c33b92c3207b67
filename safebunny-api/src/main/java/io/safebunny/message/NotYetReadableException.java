// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/**
 * Something is missing without which a message cannot be read; it may be on its way, or never come. The message comes back like one whose
 * handler failed, with the delayed retries of its handler, and then goes to the poison queue.
 */
public abstract class NotYetReadableException extends SafeBunnyException {

    private final PoisonReason reason;

    /** @param message what is missing, and what to do. It goes into the poison message */
    protected NotYetReadableException(String code, PoisonReason reason, String message, @Nullable Throwable cause) {
        super(code, message, cause);
        this.reason = reason;
    }

    /** With which the message is set aside in the end. */
    public PoisonReason reason() {
        return reason;
    }
}
