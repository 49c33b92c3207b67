// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.child;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/** Simulates a machine whose wall clock is changed while it runs; the monotonic clock is not affected. Thread-safe. */
final class JumpingTimeline implements Timeline {

    private final Timeline timeline;
    private volatile Duration offset = Duration.ZERO;

    JumpingTimeline(Timeline timeline) {
        this.timeline = timeline;
    }

    void jump(Duration by) {
        offset = by;
    }

    @Override
    public Instant now() {
        return timeline.now().plus(offset);
    }

    @Override
    public long nanoTime() {
        return timeline.nanoTime();
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        return timeline.schedule(delay, task);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        timeline.sleep(duration);
    }

    @Override
    public <T> T await(CompletableFuture<T> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        return timeline.await(future, timeout);
    }

    @Override
    public RandomGenerator random() {
        return timeline.random();
    }
}
