// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import io.safebunny.failure.MisuseException;

/**
 * A new body for one copy in the poison queue. Do not change the array.
 *
 * @param messageId message id of the copy
 * @param digest digest of the copy, so that nobody edits a copy that they have not seen
 * @param body the new body, readable by the type's serializer and not encoded; at most {@code safebunny.max-message-size}
 * @param by who asks, for the log, where it is made printable
 * @param reason why, for the log, where it is made printable
 */
public record PoisonEdit(String messageId, String digest, byte[] body, String by, String reason) {

    public PoisonEdit {
        if (messageId.isBlank() || digest.isBlank()) {
            throw new MisuseException(
                    MisuseException.POISON,
                    "Missing %s of an edit: it must name the copy. Use the value that PoisonMessages.list or GET safebunnypoison shows. A copy without one cannot be edited."
                            .formatted(messageId.isBlank() ? "message id" : "digest"));
        }
        if (reason.isBlank() || by.isBlank()) {
            throw new MisuseException(
                    MisuseException.POISON,
                    "Missing %s of an edit: it must say who asks for it and why. Both are logged."
                            .formatted(by.isBlank() ? "name" : "reason"));
        }
    }

    /** Omits the body. */
    @Override
    public String toString() {
        return "PoisonEdit[%s bytes]".formatted(body.length);
    }
}
