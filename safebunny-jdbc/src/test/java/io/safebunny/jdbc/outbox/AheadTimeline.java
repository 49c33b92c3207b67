// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/** A clock that is ahead of the database's. Thread-safe. */
final class AheadTimeline implements Timeline {

    private final Timeline clock;
    private volatile Duration lead = Duration.ZERO;

    AheadTimeline(Timeline clock) {
        this.clock = clock;
    }

    void lead(Duration other) {
        lead = other;
    }

    @Override
    public Duration lead() {
        return lead;
    }

    @Override
    public Instant now() {
        return clock.now().plus(lead);
    }

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        return clock.schedule(delay, task);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        clock.sleep(duration);
    }

    @Override
    public <T> T await(CompletableFuture<T> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        return clock.await(future, timeout);
    }

    @Override
    public RandomGenerator random() {
        return clock.random();
    }
}
