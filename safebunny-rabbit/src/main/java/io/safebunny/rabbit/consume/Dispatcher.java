// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.failure.Printable;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.recovery.QuarantinePolicy;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the deliveries of a queue to worker threads, as the {@link WaitingLine} says whose turn it is. Each worker handles what waits for a
 * while, and is then free for the other queues. Thread-safe.
 */
final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /** How long a worker goes on with the next delivery after the one it has handled. */
    static final Duration TURN = Duration.ofMillis(1);

    /** Does the work. */
    interface Work {

        void handle(RabbitDelivery delivery);

        /** Called after {@link #handle}, however that ended. */
        void finished(RabbitDelivery delivery);

        /** It is still being handled, but no longer alone. */
        void acquitted(RabbitDelivery delivery);
    }

    private final String queue;
    private final Executor workers;
    private final Timeline timeline;
    private final BoundedLog log;
    private final Work work;
    private final LaterRun start;
    private final WaitingLine line;
    private volatile boolean stopping;

    Dispatcher(
            String queue,
            int prefetch,
            QuarantinePolicy quarantine,
            Executor workers,
            Timeline timeline,
            BoundedLog log,
            Work work) {
        this.queue = queue;
        this.workers = workers;
        this.timeline = timeline;
        this.start = new LaterRun(this::startWaiting, timeline);
        this.log = log;
        this.work = work;
        this.line = new WaitingLine(
                prefetch, new Isolation(quarantine, prefetch, timeline, this::startWaiting, this::acquit));
    }

    /** @param asked the prefetch of the consumer that brought it */
    void add(RabbitDelivery delivery, int asked) {
        line.add(delivery, asked);
        startWaiting();
    }

    /** The next channel is a new one. */
    void beCautious() {
        line.beCautious();
    }

    /** Workers give their thread back after each delivery from now on: others need it, to stop. */
    void stop() {
        stopping = true;
    }

    /** Whether nothing is being handled, and nothing waits for it. */
    boolean isIdle() {
        return line.isIdle();
    }

    /**
     * How much a consumer may bring at once now, 0 for nothing.
     *
     * @param present what the present consumer may bring, 0 when there is none
     */
    int wantedPrefetch(int present) {
        return line.wantedPrefetch(present);
    }

    /** Asks for one worker at a time, which asks for the next one before it handles anything: waking a thread is expensive. */
    void startWaiting() {
        if (!line.claimStart()) {
            return;
        }
        try {
            workers.execute(this::takeTurn);
        } catch (RuntimeException | Error e) { // no thread now
            line.endStart();
            startLater(e);
        }
    }

    private void startLater(Throwable cause) {
        if (start.plan()) {
            log.tell(
                    Kind.warn(LOG, "No thread for deliveries of queue '%s'".formatted(queue)),
                    cause.toString(),
                    () -> LOG.warn(
                            "No thread for a delivery of queue '{}'; next try in {} ms",
                            queue,
                            LaterRun.DELAY.toMillis(),
                            Printable.inLines(cause)));
        }
    }

    /** Handles what waits, for a while; a thread of a small pool is then given back for the other queues. */
    private void takeTurn() {
        long begun = timeline.nanoTime();
        line.endStart();
        try {
            for (RabbitDelivery next = line.takeNext(); next != null; next = mayGoOn(begun) ? line.takeNext() : null) {
                handle(next);
            }
        } finally {
            startWaiting();
        }
    }

    /** Not with an interrupt, which is for this thread's owner to see. */
    private boolean mayGoOn(long begun) {
        return !stopping
                && timeline.nanoTime() - begun < TURN.toNanos()
                && !Thread.currentThread().isInterrupted();
    }

    private void handle(RabbitDelivery delivery) {
        try {
            startWaiting(); // the others do not wait for this one
        } finally {
            try {
                work.handle(delivery);
            } finally {
                line.finished(delivery);
                work.finished(delivery);
            }
        }
    }

    private void acquit(RabbitDelivery delivery) {
        if (!line.acquit(delivery)) {
            return;
        }
        LOG.info(
                "A message of queue '{}' that came back {} times is still being handled; others are handled beside it",
                queue,
                delivery.message().deliveryCount());
        startWaiting();
        work.acquitted(delivery);
    }
}
