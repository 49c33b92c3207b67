// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/** What became of a publication, as far as this process sees to it. {@link PublishContext#failure()} says why, if there is a reason. */
public enum PublishOutcome {
    /** A queue has it; or nobody was bound for one that is dropped if unheard. */
    CONFIRMED,
    /**
     * It is not confirmed yet, and kept: in the record of the handled message, in the outbox, or as a message for later. It is sent
     * until it is confirmed, perhaps by another process, and nobody is told of it again.
     */
    STORED,
    /** It is not confirmed and not sent again: its publisher got the exception. After a timeout or a lost connection the broker may have it. */
    FAILED,
    /** It is not sent: its transaction was rolled back, or this run of the handler counts for nothing. If it runs again, it publishes anew. */
    DROPPED
}
