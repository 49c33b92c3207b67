// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tries to connect in the background, one attempt at a time with a {@link Backoff} in between, until there is a connection. Thread-safe,
 * does not block; the lock is not held during an attempt.
 */
final class ConnectLoop {

    private final BooleanSupplier wanted;
    private final Runnable attempt;
    private final Backoff backoff;
    private final SerialTask tries;
    private @Nullable Thread trying;

    /**
     * @param wanted whether a connection is wanted but missing
     * @param attempt tries once; may block until interrupted
     * @param threads runs each attempt on a thread that it may block
     */
    ConnectLoop(String purpose, BooleanSupplier wanted, Runnable attempt, Executor threads, Timeline timeline) {
        this.wanted = wanted;
        this.attempt = attempt;
        this.backoff = new Backoff(timeline);
        this.tries = new SerialTask("connecting '" + purpose + "'", this::tryOnce, threads, timeline);
    }

    /** Call when a connection was opened. */
    void connected() {
        backoff.connected();
    }

    /** Call when the connection last reported by {@link #connected} was lost. */
    void lost() {
        backoff.lost();
    }

    /** @return the delay until the next attempt */
    Duration tryLater() {
        Duration wait = backoff.nextWait();
        tries.requestAfter(wait);
        return wait;
    }

    /** Schedules an attempt, unless one is running: that will schedule the next one itself. */
    synchronized void tryLaterUnlessTrying() {
        if (trying == null) {
            Duration unused = tryLater();
        }
    }

    private void tryOnce() {
        if (!begin()) {
            return;
        }
        try {
            attempt.run();
        } finally {
            end();
        }
    }

    private synchronized boolean begin() {
        trying = wanted.getAsBoolean() ? Thread.currentThread() : null;
        return trying != null;
    }

    private synchronized void end() {
        trying = null;
        if (wanted.getAsBoolean()) {
            try {
                Duration unused = tryLater();
            } catch (OutOfMemoryError e) {
                // try again at once: this call allocates nothing, and nothing else would ever connect
                tries.request();
            }
        }
    }

    /** Call when no connection is wanted any more; interrupts a running attempt. */
    void stop() {
        synchronized (this) {
            if (trying != null) {
                trying.interrupt();
            }
        }
        tries.stop();
    }
}
