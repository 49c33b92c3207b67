// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.work;

import io.safebunny.time.Timeline;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the adjustment of a consumer on the caller's thread or on a worker, never on two threads at once. A request during a run returns
 * immediately and causes one more run. A failed run, or one that found no worker, is repeated a second later. Thread-safe.
 */
public final class Adjusting {

    private final Runnable look;
    private final Runnable done;
    private final Executor workers;
    private final Timeline timeline;
    private final LaterRun retry;
    /** Pending requests; above zero while a thread is adjusting. */
    private final AtomicInteger requests = new AtomicInteger();

    private volatile boolean stopped;

    /**
     * @param look compares and adjusts once; may block on the broker
     * @param done runs after the last pending adjustment
     */
    public Adjusting(Runnable look, Runnable done, Executor workers, Timeline timeline) {
        this.look = look;
        this.done = done;
        this.workers = workers;
        this.timeline = timeline;
        this.retry = new LaterRun(this::soon, timeline);
    }

    /** Adjusts on this thread, unless another thread is adjusting. */
    public void now() {
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

    /** Adjusts on a worker; a second later if the executor rejects it. */
    public void soon() {
        try {
            workers.execute(this::now);
        } catch (RuntimeException | Error e) {
            later();
        }
    }

    /** Does nothing once stopped: {@link #stop} runs the last adjustment itself. */
    public void later() {
        if (!stopped) {
            retry.plan();
        }
    }

    /** Requests another run. Call it during a run if the values that the run compared may have changed. */
    public void lookAgain() {
        requests.incrementAndGet();
    }

    public boolean isUnderWay() {
        return requests.get() > 0;
    }

    /**
     * Runs the task on a worker. Never runs it on the calling thread, which may be the connection's own and must not block, even when the
     * executor is shut down.
     */
    public void onWorker(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException e) {
            Thread thread = new Thread(task, "safebunny-stop");
            thread.setDaemon(true);
            thread.start();
        } catch (RuntimeException | Error e) {
            timeline.schedule(LaterRun.DELAY, () -> onWorker(task));
        }
    }

    /** Adjusts a last time and cancels pending retries. */
    public void stop() {
        stopped = true;
        onWorker(this::now);
    }
}
