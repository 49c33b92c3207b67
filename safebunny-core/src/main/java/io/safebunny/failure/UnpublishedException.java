// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/**
 * A handler succeeded, but the broker refused its publications, and without a message store there is nowhere to keep them: the
 * message counts as failed, and its handler runs again.
 */
public final class UnpublishedException extends SafeBunnyException {

    /** @param refusal why it was refused, for which publication, and what to do */
    public UnpublishedException(String messageId, PublishException refusal) {
        super(
                "SB-3008",
                "Message %s was handled, but a publication of its handler was refused, and there is no message store to keep it. %s Then handle the message again: its handler, which has run, runs once more and publishes the same ids. With a message store only the publication would wait."
                        .formatted(messageId, refusal.messageWithoutCode()),
                refusal);
    }
}
