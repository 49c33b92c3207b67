// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.work;

import io.safebunny.failure.details.Printable;
import io.safebunny.observation.BoundedLog.Subject;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets worker threads for the deliveries of a queue. A worker keeps handling deliveries for a short time and is then free for other queues.
 * Thread-safe.
 */
public final class Turns {

    private static final Logger LOG = LoggerFactory.getLogger(Turns.class);

    /** How long a worker keeps taking deliveries of this queue before it gives its thread back. */
    public static final Duration TURN = Duration.ofMillis(1);

    /** Where a queue's deliveries wait. */
    public interface Line {

        /**
         * @return whether the caller must start a worker, and call {@link #endStart} when it has begun or could not be started: one
         *     starts at a time
         */
        boolean claimStart();

        void endStart();

        /**
         * Handles the next delivery, or several together. Starts the next worker itself, by {@link Turns#start}, before it handles
         * anything.
         *
         * @return false if there was nothing to handle
         */
        boolean handleNext();
    }

    private final String queue;
    private final ConsumerContext context;
    private final Line line;
    private final LaterRun start;
    private volatile boolean stopping;

    public Turns(String queue, ConsumerContext context, Line line) {
        this.queue = queue;
        this.context = context;
        this.line = line;
        this.start = new LaterRun(this::start, context.timeline());
    }

    /** Starts at most one worker; each starts the next before it handles anything. Waking more threads than needed is expensive. */
    public void start() {
        if (!line.claimStart()) {
            return;
        }
        try {
            context.workers().execute(this::take);
        } catch (RuntimeException | Error e) {
            // the executor has no free thread
            line.endStart();
            startLater(e);
        }
    }

    private void startLater(Throwable cause) {
        if (start.plan()) {
            context.log()
                    .tell(
                            Subject.warn(LOG, "No worker thread for deliveries of queue '%s'".formatted(queue)),
                            cause.toString(),
                            () -> LOG.warn(
                                    "No worker thread for a delivery of queue '{}'; retrying in {} ms",
                                    queue,
                                    LaterRun.DELAY.toMillis(),
                                    Printable.inLines(cause)));
        }
    }

    /** Handles waiting deliveries for at most {@link #TURN}, so that queues that share a small pool all get threads. */
    private void take() {
        long begun = context.timeline().nanoTime();
        line.endStart();
        try {
            boolean goesOn = true;
            while (goesOn) {
                goesOn = line.handleNext() && mayGoOn(begun);
            }
        } finally {
            start();
        }
    }

    /** False after an interrupt, which the owner of the thread must see. */
    private boolean mayGoOn(long begun) {
        return !stopping
                && context.timeline().nanoTime() - begun < TURN.toNanos()
                && !Thread.currentThread().isInterrupted();
    }

    /** From now on workers give their thread back after each delivery, because shutting down needs threads too. */
    public void stop() {
        stopping = true;
    }

    public boolean isStopping() {
        return stopping;
    }
}
