// SPDX-License-Identifier: Apache-2.0
package io.safebunny.work;

import io.safebunny.time.Timeline;
import io.safebunny.time.VirtualTimeline;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** Whoever waits on it is told that its process has ended. */
final class FailingTimeline implements Timeline {

    private final VirtualTimeline timeline = new VirtualTimeline();

    @Override
    public Instant now() {
        return timeline.now();
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
    public void sleep(Duration duration) {
        throw new IllegalStateException("its process has ended");
    }

    @Override
    public <T> T await(CompletableFuture<T> future, Duration timeout) {
        throw new IllegalStateException("its process has ended");
    }

    @Override
    public RandomGenerator random() {
        return timeline.random();
    }
}
