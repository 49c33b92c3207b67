// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.store.record.MessageRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The way messages are claimed: by a lease, by the handler's transaction, or not at all. Thread-safe. */
public interface Claims {

    /**
     * With a store that limits concurrent transactions, waits for a turn first.
     *
     * @throws RuntimeException code of the application that is run by the store failed: a failure like the handler's
     */
    Claimed claim(Handling handling);

    /** Whether several messages can be handled in one transaction. */
    default boolean canShare() {
        return false;
    }

    /**
     * Claims several messages in one transaction. To be called only if they {@linkplain #canShare can share} it, for first deliveries with
     * different keys.
     *
     * @return {@code null} if they are to be handled on their own, which also finds out what is wrong
     */
    default @Nullable SharedClaims claimTogether(List<Handling> messages) {
        return null;
    }

    /**
     * Claims the messages of a batch, first deliveries with different keys: in one transaction with what the handler writes where the store
     * can do that, otherwise one by one.
     *
     * @return {@code null} as {@link #claimTogether} does
     */
    default @Nullable SharedClaims claimBatch(List<Handling> messages) {
        return new SeparateClaims(this::claim, messages);
    }

    /**
     * Sends what a handled message has published. To be called after its claim is closed: it may take long, and must not hold up
     * others.
     *
     * @param record of the completed message
     * @return why the message is to come back, which sends again what is not confirmed; {@code null} when nothing is left to do
     */
    default @Nullable NotHandledException send(MessageRecord record) {
        return null;
    }

    /** Starts background work, such as renewals. */
    default void start() {}

    default void stop() {}
}
