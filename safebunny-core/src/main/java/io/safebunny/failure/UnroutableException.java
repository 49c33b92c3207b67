// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/** No queue is bound for the message, so it is nowhere. Sending it again helps only after a consumer has been deployed. */
public final class UnroutableException extends PublishException {

    public UnroutableException(Publication publication, String brokerReply) {
        super(
                "SB-2001",
                publication,
                "no queue is bound for this routing key (" + brokerReply
                        + "). Start the node that consumes it once, so that its queue exists, or check `from` in its @BunnyHandler.",
                null);
    }
}
