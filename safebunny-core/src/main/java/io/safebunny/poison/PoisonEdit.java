// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import io.safebunny.failure.MisuseException;

/**
 * Another body for one copy in the poison queue. Do not change the array.
 *
 * @param messageId of the copy
 * @param digest of the copy, so that nobody edits one that they have not seen
 * @param body instead of the copy's own: what the type's serializer reads, not encoded; at most {@code safebunny.max-message-size}
 * @param by who asks, for the log; made printable there, as in a {@link PoisonRequest}
 * @param reason why, for the log; as above
 */
public record PoisonEdit(String messageId, String digest, byte[] body, String by, String reason) {

    public PoisonEdit {
        if (messageId.isBlank() || digest.isBlank()) {
            throw new MisuseException(
                    MisuseException.POISON,
                    "Missing %s of an edit: say which copy is meant, as its list shows it (PoisonMessages.list, or GET safebunnypoison). A copy without one cannot be edited."
                            .formatted(messageId.isBlank() ? "message id" : "digest"));
        }
        if (reason.isBlank() || by.isBlank()) {
            throw new MisuseException(
                    MisuseException.POISON,
                    "Missing %s of an edit: say who asks for it and why. Both are logged."
                            .formatted(by.isBlank() ? "name" : "reason"));
        }
    }

    /** Without the body. */
    @Override
    public String toString() {
        return "PoisonEdit[%s bytes]".formatted(body.length);
    }
}
