// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

/**
 * Tells the sagas of its correlation id that a message was set aside. Why, when, and whether all but the sender have been told is not part
 * of it but in headers ({@link SagaMessages#reasonOf}, {@link SagaMessages#setAsideAtOf}, {@link SagaMessages#isForSender}): of a message
 * that arrived twice, the second copy has others, and what it tells is the same.
 *
 * @param messageId of the message that was set aside
 * @param type its type name
 * @param node that set it aside
 * @param recordVersion as in header {@code sb-poison-version}, 0 if the copy has none
 * @param sentAt when the message was sent, in milliseconds since the epoch, 0 if its copy does not say: one that its saga sent again
 *     has another one
 * @param sent id of what a saga has sent: the message, or the undo of which it is the acknowledgement
 * @param again whether the saga has known of it since it was stuck, and is to deal with it now if it still waits
 */
public record BunnyPoisoned(
        String messageId, String type, String node, long recordVersion, long sentAt, String sent, boolean again) {}
