// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/**
 * A handler succeeded and what it published was refused, and without a message store there is nowhere to keep that: the message
 * counts as failed, and its handler runs again.
 */
public final class UnpublishedException extends SafeBunnyException {

    /** @param refusal says which publication, why, and what to do */
    public UnpublishedException(String messageId, PublishException refusal) {
        super(
                "SB-3008",
                "Message %s was handled, but what it published was refused, and there is no message store to keep it. %s Then handle the message again: its handler has run, runs again, and publishes the same ids. With a message store only the publication would wait."
                        .formatted(messageId, refusal.messageWithoutCode()),
                refusal);
    }
}
