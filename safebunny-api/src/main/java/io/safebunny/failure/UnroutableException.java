// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/**
 * No queue is bound for the message, so the broker has not kept it. Sending it again helps only after a consumer has
 * been deployed.
 */
public final class UnroutableException extends PublishException {

    private final String brokerReply;

    public UnroutableException(Publication publication, String brokerReply) {
        this(publication, brokerReply, "");
    }

    private UnroutableException(Publication publication, String brokerReply, String taken) {
        super(
                "SB-2001",
                publication,
                "no queue is bound for this routing key (" + brokerReply + "). " + whatToDo(publication) + taken,
                null);
        this.brokerReply = brokerReply;
    }

    private static String whatToDo(Publication publication) {
        return publication.type().equals("BunnyUndone")
                ? "No saga is told of undos by this node: add this node to `participants` of the @BunnySaga that sent the undo, or to `from` of one of its @BunnyHandler methods."
                : "Start the node that consumes it once, so that its queue exists, or check `from` in its @BunnyHandler.";
    }

    /** The same failure, with a text that lists what the sending node itself consumes: this reveals a misspelt {@code from}. */
    public UnroutableException with(String taken) {
        return new UnroutableException(new Publication(type(), routingKey(), messageId()), brokerReply, " " + taken);
    }
}
