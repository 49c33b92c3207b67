// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import io.safebunny.failure.SafeBunnyException;

/** An incoming message that can never be handled. It goes to the poison queue with this reason. Has no stack trace. */
public final class InvalidMessageException extends SafeBunnyException {

    private final PoisonReason reason;

    public InvalidMessageException(PoisonReason reason, String message) {
        this(reason, message, null);
    }

    public InvalidMessageException(
            PoisonReason reason, String message, @org.jspecify.annotations.Nullable Throwable cause) {
        super("SB-3003", message, cause, false);
        this.reason = reason;
    }

    public PoisonReason reason() {
        return reason;
    }
}
