// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/** Outcome of a publication, as far as this process knows. {@link PublishContext#failure()} is the reason, if there is one. */
public enum PublishOutcome {
    /** A queue has it; or it was to be dropped if unheard, and no queue was bound. */
    CONFIRMED,
    /**
     * Not confirmed yet, but stored: in the record of the handled message, in the outbox, or as a scheduled message. It is sent
     * until it is confirmed, perhaps by another process; no further outcome is reported.
     */
    STORED,
    /**
     * Not confirmed and not sent again; the publisher got the exception. After a timeout or a lost connection the broker may
     * still have it.
     */
    FAILED,
    /**
     * Not sent: its transaction was rolled back, or this run of the handler was discarded. If the handler runs again, it
     * publishes again.
     */
    DROPPED
}
