// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/** The broker refused the message. It may be in some of the queues it was routed to, but not in all of them. */
public final class NackedException extends PublishException {

    private final boolean tooLarge;

    public NackedException(Publication publication, String why) {
        this(publication, why, false);
    }

    private NackedException(Publication publication, String why, boolean tooLarge) {
        super(
                "SB-2002",
                publication,
                "the broker refused the message (%s). %s, then publish again with the same id."
                        .formatted(
                                why,
                                tooLarge
                                        ? "Add safebunny-claimcheck, which keeps large bodies in a store (docs/large-messages.md), or raise max_message_size of the broker"
                                        : "Check the length limits and the health of the queues it is routed to"),
                null);
        this.tooLarge = tooLarge;
    }

    /** The body is larger than the broker's own limit. */
    public static NackedException tooLarge(Publication publication, String why) {
        return new NackedException(publication, why, true);
    }

    /** Whether the message exceeds the broker's limit, so publishing it again cannot succeed until that is raised. */
    public boolean isTooLarge() {
        return tooLarge;
    }
}
