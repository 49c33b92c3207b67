// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import io.safebunny.time.Timeline;
import io.safebunny.waiting.SerialTask;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tries to connect in the background, one try at a time, with a {@link Backoff} between them, for as long as a connection is wanted.
 * Thread-safe, does not block; its lock is not held during a try.
 */
final class ConnectLoop {

    private final BooleanSupplier wanted;
    private final Runnable attempt;
    private final Backoff backoff;
    private final SerialTask tries;
    private @Nullable Thread trying;

    /**
     * @param wanted whether there should be a connection and is none
     * @param attempt one try, which may block, until it is interrupted
     * @param threads gives each try a thread
     */
    ConnectLoop(
            String purpose,
            BooleanSupplier wanted,
            Runnable attempt,
            Backoff backoff,
            Executor threads,
            Timeline timeline) {
        this.wanted = wanted;
        this.attempt = attempt;
        this.backoff = backoff;
        this.tries = new SerialTask("connecting '" + purpose + "'", this::tryOnce, threads, timeline);
    }

    /** @return when that will be */
    Duration tryLater() {
        Duration wait = backoff.nextWait();
        tries.requestAfter(wait);
        return wait;
    }

    /** A try that is under way plans the next one itself. */
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
            } catch (OutOfMemoryError e) { // nobody else would connect, and this allocates nothing
                tries.request();
            }
        }
    }

    /** To be called when a connection is no longer wanted. */
    void stop() {
        synchronized (this) {
            if (trying != null) {
                trying.interrupt();
            }
        }
        tries.stop();
    }
}
