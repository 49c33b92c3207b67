// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.message.Names;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * SPI: stores messages that the application publishes in its own transactions, outside handlers. Sends them after the commit, and
 * never after a rollback. Thread-safe.
 */
public interface Outbox {

    /**
     * Stores the message in the transaction open on this thread. Later reports its outcome by {@link OutboundMessage#ended}, if
     * the message is still in memory: confirmed, dropped with the transaction, or left to whichever process reads it from the
     * store.
     *
     * @return {@code false} if there is no transaction: nothing was stored, and the caller must send the message at once
     * @throws RuntimeException if it cannot be stored, for example because the transaction is read-only
     */
    boolean add(OutboundMessage message);

    /**
     * Starts sending committed messages, including those an earlier process left behind. Called once.
     *
     * @param sender sends one message until it is confirmed, without blocking for long. If its future completes exceptionally,
     *     the outbox must keep the message and retry
     */
    void start(Function<OutboundMessage, CompletableFuture<Void>> sender);

    /** Number of committed messages not confirmed yet, as last counted; empty if not counted yet. Returns at once. */
    default OptionalInt backlog() {
        Backlog waiting = waiting();
        return waiting == null || waiting.asOf() == null ? OptionalInt.empty() : OptionalInt.of(waiting.messages());
    }

    /** The committed messages not confirmed yet, as last counted, and why they wait; {@code null} if not counted yet. Returns at once. */
    default @Nullable Backlog waiting() {
        return null;
    }

    /**
     * Committed messages that are not confirmed yet. Those of transactions that are still open are not among them.
     *
     * @param messages how many were counted
     * @param more whether counting ended there, so there may be more of them
     * @param oldest when the oldest was stored, by this instance's clock; {@code null} if there is none
     * @param older whether there may be older ones, because only some of many were looked at
     * @param asOf when they were counted; {@code null} for never yet
     * @param problem why they could not be counted since, as a sentence; {@code null} if they could
     * @param causes why they are not sent, as far as this instance knows, as sentences with what to do; they name neither messages nor values
     */
    record Backlog(
            int messages,
            boolean more,
            @Nullable Instant oldest,
            boolean older,
            @Nullable Instant asOf,
            @Nullable String problem,
            List<String> causes) {
        public Backlog {
            causes = List.copyOf(causes);
        }
    }

    /**
     * Committed messages of one correlation id that are not confirmed yet, in the order in which they will be sent, for people who ask.
     *
     * @param correlationId nothing is found for a text that {@link Names#isCorrelationId} refuses
     * @param limit maximum to return
     * @throws StoreUnavailableException if the store does not answer
     */
    List<Unsent> findCorrelated(String correlationId, int limit);

    /**
     * The correlation ids of the committed messages with this id that are not confirmed yet, if they have one. May read all messages.
     *
     * @param messageId nothing is found for a text that {@link Names#isMessageId} refuses
     * @param limit maximum to return
     * @param atMost how long looking may take, as in {@link MessageStore#findCorrelationIds}
     * @throws StoreUnavailableException if the store does not answer, has not looked at all of them in time, or refuses to look for
     *     several people at a time
     */
    List<String> findCorrelationIds(String messageId, int limit, Duration atMost);

    /**
     * A part of all committed messages that are not confirmed yet, as {@link MessageStore#findAll} has them.
     *
     * @param after {@link StoredPage#next} of the part before; {@code null} for the first
     * @param limit maximum to return, at least 1
     * @return {@code null}, the default, if the outbox cannot list all it has
     * @throws StoreUnavailableException if the store does not answer
     */
    default @Nullable StoredPage<OutboundMessage> findAll(@Nullable String after, int limit) {
        return null;
    }

    /**
     * A committed message that is not confirmed yet.
     *
     * @param type {@code null} if this version cannot read the message
     * @param attempts how often the relay has tried in vain to send it
     * @param storedAt by the store's clock, as is {@code dueAt}
     * @param dueAt when the relay sends it, unless the instance that stored it has done so by then, or an earlier message of its correlation
     *     id is still waiting
     */
    record Unsent(String messageId, @Nullable String type, int attempts, Instant storedAt, Instant dueAt) {}

    /** Stops sending, and returns when nothing is in flight. Unconfirmed messages are sent after the next start. */
    void stop();
}
