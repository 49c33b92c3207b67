// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

/** The broker refused the message. It may be in some of the queues it was routed to, but not in all. */
public final class NackedException extends PublishException {

    public NackedException(Publication publication, String why) {
        super(
                "SB-2002",
                publication,
                "the broker refused the message (" + why
                        + "). Check the length limits and the health of the queues it is routed to, then publish again with the same id.",
                null);
    }
}
