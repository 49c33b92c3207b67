// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.outbox;

import io.safebunny.spi.transport.OutboundMessage;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * SPI: publications of the application's own transactions, outside handlers. They are stored with the transaction, sent after its
 * commit and never after its rollback. Thread-safe.
 */
public interface Outbox {

    /**
     * Stores the message in the transaction that is open on this thread.
     *
     * @return whether there is one; otherwise nothing was done, and the message is to be sent at once
     * @throws RuntimeException when it cannot be stored, for example because the transaction is read-only
     */
    boolean add(OutboundMessage message);

    /**
     * Sends what is committed, from now on, and what an earlier process left behind. Called once.
     *
     * @param sender sends one message until it is confirmed, without blocking for long; the future completes exceptionally when
     *     that failed, and the message stays stored to be tried again
     */
    void start(Function<OutboundMessage, CompletableFuture<Void>> sender);

    /** Returns when nothing is being sent any more; what is not confirmed is sent after the next start. */
    void stop();
}
