// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.transport.Pace;
import java.util.concurrent.CompletableFuture;

/** Keeps a queue consumed at the wanted pace, across channels and connections. Thread-safe. */
interface QueueControl {

    /** Whether the queue is consumed as it should be. Also true while nothing should be consumed: paused, or stopping. */
    boolean isConsuming();

    void setPace(Pace wanted);

    /** Adjusts the consumer on a worker; call on every new connection. */
    void adjustSoon();

    /** Adjusts the consumer on this thread, which blocks on the broker. Returns at once if another thread is adjusting. */
    void adjust();

    /** Takes nothing more, and lets running handlers return. */
    void stop();

    /** Completes when the consumer is stopped and every delivery is finished. */
    CompletableFuture<Void> drained();
}
