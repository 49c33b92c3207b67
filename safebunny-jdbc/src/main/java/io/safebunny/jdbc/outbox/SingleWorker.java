// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Work that runs on one thread at a time, and again when it was asked for meanwhile. Thread-safe. */
final class SingleWorker {

    private static final Logger LOG = LoggerFactory.getLogger(SingleWorker.class);

    private static final Duration NO_THREAD_DELAY = Duration.ofSeconds(1);

    private final Executor executor;
    private final Timeline timeline;
    private final Runnable work;
    private final AtomicInteger asked = new AtomicInteger();

    SingleWorker(Executor executor, Timeline timeline, Runnable work) {
        this.executor = executor;
        this.timeline = timeline;
        this.work = work;
    }

    /** Does not block. */
    void ask() {
        if (asked.getAndIncrement() == 0) {
            try {
                executor.execute(this::run);
            } catch (RejectedExecutionException e) {
                asked.set(0);
                LOG.debug("Shutting down: what is stored is sent after the next start", e);
            } catch (OutOfMemoryError e) { // no thread now
                asked.set(0);
                timeline.schedule(NO_THREAD_DELAY, this::ask); // whoever asked at intervals asks no more
                LOG.warn("No thread for the outbox; next try in {} ms", NO_THREAD_DELAY.toMillis(), e);
            }
        }
    }

    private void run() {
        int seen;
        do {
            seen = asked.get();
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                LOG.warn("The outbox failed; it goes on with what comes next", e);
            }
        } while (!asked.compareAndSet(seen, 0));
    }
}
