// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.transport.OutboundMessage;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * SPI: stores messages that the application publishes in its own transactions, outside handlers, and sends them after the commit
 * and never after a rollback. Thread-safe.
 */
public interface Outbox {

    /**
     * Stores the message in the transaction that is open on this thread. As long as this object is held, {@link OutboundMessage#ended}
     * tells what became of it: confirmed, dropped with the transaction, or left to whoever reads it from the store.
     *
     * @return {@code false} if there is no transaction: then nothing was stored, and the caller sends the message at once
     * @throws RuntimeException when it cannot be stored, for example because the transaction is read-only
     */
    boolean add(OutboundMessage message);

    /**
     * Starts sending committed messages, including those an earlier process left behind. Called once.
     *
     * @param sender sends one message until it is confirmed, without blocking for long. If its future completes exceptionally,
     *     the message must stay stored and be retried
     */
    void start(Function<OutboundMessage, CompletableFuture<Void>> sender);

    /** Committed messages that are not confirmed yet, at the last look; empty when nobody has looked. Returns at once. */
    default OptionalInt backlog() {
        return OptionalInt.empty();
    }

    /** Stops sending, and returns once nothing is in flight. Unconfirmed messages are sent after the next start. */
    void stop();
}
