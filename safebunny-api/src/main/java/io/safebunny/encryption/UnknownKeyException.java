// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import io.safebunny.message.NotYetReadableException;
import io.safebunny.message.PoisonReason;
import org.jspecify.annotations.Nullable;

/**
 * Nobody here knows a key: a new version has not reached this instance yet, an old one was removed too early, or it is another node's. A
 * message that names it comes back like one whose handler failed, with the delayed retries of its handler, and then goes to the poison queue.
 */
public final class UnknownKeyException extends NotYetReadableException {

    /** @param message which key, and what to do; never key material. It goes into the poison message */
    public UnknownKeyException(String message) {
        this(message, null);
    }

    public UnknownKeyException(String message, @Nullable Throwable cause) {
        super("SB-3018", PoisonReason.UNDECRYPTABLE, message, cause);
    }
}
