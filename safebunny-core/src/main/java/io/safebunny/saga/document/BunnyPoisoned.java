// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

/**
 * Tells the sagas of its correlation id that a message was set aside. The rest of the news is in headers, see {@link PoisonNews}.
 *
 * @param messageId id of the message that was set aside
 * @param type its type name
 * @param node the node that set it aside
 * @param recordVersion as in header {@code sb-poison-version}; 0 if the copy has none
 * @param sentAt when the message was sent, in milliseconds since the epoch; 0 if its copy does not say. Distinguishes a message from the
 *     same message sent again by its saga
 * @param sent id of the message that the saga sent: the message itself or, if it is an acknowledgement, the undo that it acknowledges
 * @param again whether this repeats news that arrived while the saga was stuck, to be handled now if the saga still waits for the message
 */
public record BunnyPoisoned(
        String messageId, String type, String node, long recordVersion, long sentAt, String sent, boolean again) {}
