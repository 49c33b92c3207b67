// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.transport.OutboundMessage;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

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
        return OptionalInt.empty();
    }

    /** Stops sending, and returns when nothing is in flight. Unconfirmed messages are sent after the next start. */
    void stop();
}
