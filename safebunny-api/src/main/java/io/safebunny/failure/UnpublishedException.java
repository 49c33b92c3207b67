// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/**
 * A handler succeeded, but the broker refused its publications, and there is no message store to keep them: the message counts as
 * failed, and its handler runs again.
 */
public final class UnpublishedException extends SafeBunnyException {

    /** @param refusal which publication was refused, why, and what to do */
    public UnpublishedException(String messageId, PublishException refusal) {
        super(
                "SB-3008",
                "Message %s was handled, but a publication of its handler was refused, and there is no message store to keep it. %s Then let the message be handled again, by its retry or by a replay: its handler runs once more and publishes the same ids. Use a message store (safebunny.store.type) if only the publication should wait."
                        .formatted(messageId, refusal.messageWithoutCode()),
                refusal);
    }
}
