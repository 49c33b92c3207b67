// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker.PingHandler;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.benchmarks.contest.Bins;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Latencies;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Handles pings for a time each; the first that is due from a moment on keeps its place for much longer. Thread-safe. */
final class Freeze implements PingHandler {

    static final int WORK_MILLIS = 10;
    static final int MILLIS = 2_000;

    private final long from;
    private final boolean freezes;
    private final Bins all;
    private final Bins during;
    private final AtomicBoolean frozen = new AtomicBoolean();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final Meter left;

    /**
     * @param from the number of the first ping that may keep its place
     * @param freezes whether any does
     * @param begin of the first bin
     * @param messages how many come
     */
    Freeze(long from, boolean freezes, long begin, int messages) {
        this.from = from;
        this.freezes = freezes;
        this.all = new Bins(begin);
        this.during = new Bins(begin);
        this.left = new Meter(messages);
    }

    @Override
    public void handle(Ping ping) {
        Consumers.check(ping);
        boolean first = ping.number() >= from && frozen.compareAndSet(false, true);
        if (first) {
            begun.countDown();
        }
        if (first && freezes) {
            Places.pause(MILLIS);
        } else {
            Places.pause(WORK_MILLIS);
            ended(ping, System.nanoTime());
        }
        left.count();
    }

    private void ended(Ping ping, long now) {
        all.add(now, now - ping.number());
        if (ping.number() >= from && ping.number() - from < TimeUnit.MILLISECONDS.toNanos(MILLIS)) {
            during.add(now, now - ping.number());
        }
    }

    /** Returns when a place is frozen, or would be. */
    void awaitBegin() throws InterruptedException {
        begun.await();
    }

    /** Returns when all messages have been handled, the frozen one too. */
    void awaitEnd() throws InterruptedException {
        Figures unused = left.await();
    }

    /** What has ended, without the frozen one. */
    Bins others() {
        return all;
    }

    /** Of those that were due while the place was frozen. */
    Latencies during() {
        return during.latencies();
    }
}
