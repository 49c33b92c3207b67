// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.time.Timeline;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * When a consumer is adjusted, and on which thread: that of who asks, or a worker, and never on two at once. Who asks while another thread
 * is at it does not wait: that one looks once more. What finds no worker, or failed, is tried again a second later. Thread-safe.
 */
final class Adjusting {

    private final Runnable look;
    private final Runnable done;
    private final Executor workers;
    private final Timeline timeline;
    private final LaterRun retry;
    /** To look; while there are any, one thread is at it. */
    private final AtomicInteger requests = new AtomicInteger();

    private volatile boolean stopped;

    /**
     * @param look compares and adjusts once; may wait for the broker
     * @param done runs after it, when no thread is at it
     */
    Adjusting(Runnable look, Runnable done, Executor workers, Timeline timeline) {
        this.look = look;
        this.done = done;
        this.workers = workers;
        this.timeline = timeline;
        this.retry = new LaterRun(this::soon, timeline);
    }

    /** On this thread, unless another is at it. */
    void now() {
        if (requests.getAndIncrement() > 0) {
            return;
        }
        int answered;
        do {
            answered = requests.get();
            look.run();
        } while (!requests.compareAndSet(answered, 0));
        done.run();
    }

    /** On a worker; when none is free now, later. */
    void soon() {
        try {
            workers.execute(this::now);
        } catch (RuntimeException | Error e) {
            later();
        }
    }

    /** Unless it is stopped: then somebody else asks for the last time. */
    void later() {
        if (!stopped) {
            retry.plan();
        }
    }

    /** To be called while looking: what was seen first may be different by now. */
    void lookAgain() {
        requests.incrementAndGet();
    }

    boolean isUnderWay() {
        return requests.get() > 0;
    }

    /** Off the connection's threads, which must not wait for the broker; without workers there is only this thread. */
    void onWorker(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        } catch (RuntimeException | Error e) {
            timeline.schedule(LaterRun.DELAY, () -> onWorker(task));
        }
    }

    /** Tries nothing again, and looks for the last time. */
    void stop() {
        stopped = true;
        onWorker(this::now);
    }
}
