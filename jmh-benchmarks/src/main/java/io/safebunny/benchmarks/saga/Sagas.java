// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.saga;

import io.safebunny.benchmarks.contest.Bins;
import io.safebunny.benchmarks.contest.Figures;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sends sagas over a track. */
final class Sagas {

    private static final long PATIENCE_SECONDS = 120;
    private static final int AT_ONCE = 200;
    static final int MESSAGES_PER_SAGA = 4;

    private Sagas() {}

    /**
     * Measures latency from the time a saga should have begun, even if it began late, so that stalls show (no coordinated
     * omission).
     */
    static Figures atRate(Track track, int perSecond, int sagas) throws Exception {
        long next = System.nanoTime();
        Bins bins = new Bins(next);
        CountDownLatch left = new CountDownLatch(sagas);
        track.onFinish(begun -> {
            long now = System.nanoTime();
            bins.add(now, now - begun);
            left.countDown();
        });
        long interval = TimeUnit.SECONDS.toNanos(1) / perSecond;
        for (int i = 0; i < sagas; i++, next += interval) {
            for (long early = next - System.nanoTime(); early > 0; early = next - System.nanoTime()) {
                LockSupport.parkNanos(early);
            }
            track.begin(next);
        }
        await(left);
        return new Figures(Figures.of(bins.latencies()), bins.list());
    }

    static Figures saturated(Track track, int sagas) throws Exception {
        CountDownLatch left = new CountDownLatch(sagas);
        Semaphore window = new Semaphore(AT_ONCE);
        track.onFinish(begun -> {
            window.release();
            left.countDown();
        });
        long begin = System.nanoTime();
        for (int i = 0; i < sagas; i++) {
            window.acquire();
            track.begin(System.nanoTime());
        }
        await(left);
        return Figures.perSecond((long) sagas * MESSAGES_PER_SAGA, System.nanoTime() - begin);
    }

    private static void await(CountDownLatch left) throws InterruptedException {
        if (!left.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    "Not all sagas ended in %s s [missing=%s]".formatted(PATIENCE_SECONDS, left.getCount()));
        }
    }
}
