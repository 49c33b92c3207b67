// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating.message;

/**
 * Tells a saga that one of its messages was set aside. Why is not part of it but in a header ({@link SagaMessages#reasonOf}): of a
 * message that arrived twice, the second copy has another reason, and what it tells is the same.
 *
 * @param saga its name, or {@link #UNPLACED}
 * @param messageId of the message that was set aside
 * @param type its type name
 * @param node that set it aside
 * @param recordVersion as in header {@code sb-poison-version}, 0 if the copy has none
 * @param sentAt when the message was sent, in milliseconds since the epoch, 0 if its copy does not say: one that its saga sent again
 *     has another one
 */
public record BunnyPoisoned(String saga, String messageId, String type, String node, long recordVersion, long sentAt) {

    /** In place of the name of a saga that has yet to be found. */
    public static final String UNPLACED = "";

    public BunnyPoisoned to(String otherSaga) {
        return new BunnyPoisoned(otherSaga, messageId, type, node, recordVersion, sentAt);
    }
}
