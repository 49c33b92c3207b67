// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import io.safebunny.benchmarks.contest.Bins;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.JdbcTemplate;

/** Sends orders to a peer, one phase after the other, and checks what came of all of them. For one thread. */
final class OrderRun {

    static final int AT_ONCE = 200;

    private static final int STARTERS = 8;
    private static final long PATIENCE_SECONDS = 120;
    private static final int LOOKS = 1_000;
    private static final long LOOK_MILLIS = 20;

    private final OrderPeer peer;
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private int orders;
    private int refused;

    OrderRun(OrderPeer peer) {
        this.peer = peer;
    }

    /**
     * Begins orders at a fixed rate, and waits for all of them. Latency is measured from the time an order should have begun, so that
     * stalls show (no coordinated omission).
     */
    Bins atRate(String phase, int perSecond, int many) throws Exception {
        long next = System.nanoTime();
        Bins bins = new Bins(next);
        CountDownLatch left = expect(many, bins::add);
        long interval = TimeUnit.SECONDS.toNanos(1) / perSecond;
        for (int i = 0; i < many; i++, next += interval) {
            for (long early = next - System.nanoTime(); early > 0; early = next - System.nanoTime()) {
                LockSupport.parkNanos(early);
            }
            begin(Order.named(phase, i), next);
        }
        await(left);
        return bins;
    }

    /** Keeps {@link #AT_ONCE} orders under way. Returns the nanoseconds until the last one came to its end. */
    long saturated(String phase, int many) throws Exception {
        Semaphore window = new Semaphore(AT_ONCE);
        CountDownLatch left = expect(many, (at, took) -> window.release());
        AtomicInteger next = new AtomicInteger();
        Callable<Void> starter = () -> {
            for (int i = next.getAndIncrement(); i < many; i = next.getAndIncrement()) {
                if (!window.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    return null; // the count of what is left tells
                }
                begin(Order.named(phase, i), System.nanoTime());
            }
            return null;
        };
        List<Callable<Void>> starters = new ArrayList<>();
        for (int i = 0; i < STARTERS; i++) {
            starters.add(starter);
        }
        ExecutorService threads = Executors.newFixedThreadPool(STARTERS);
        try {
            long from = System.nanoTime();
            for (Future<Void> started : threads.invokeAll(starters)) {
                started.get();
            }
            await(left);
            return System.nanoTime() - from;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Told when an order ended, and how long it took. */
    @FunctionalInterface
    private interface Ended {
        void add(long at, long took);
    }

    private CountDownLatch expect(int many, Ended ended) {
        orders += many;
        refused += Order.refused(many);
        CountDownLatch left = new CountDownLatch(many);
        peer.onEnd(order -> {
            Long from = begun.remove(order);
            if (from != null) { // the end of a saga may be told again, as when its last step is repeated
                long now = System.nanoTime();
                ended.add(now, now - from);
                left.countDown();
            }
        });
        return left;
    }

    private void begin(String order, long from) throws Exception {
        begun.put(order, from);
        peer.begin(order);
    }

    private static void await(CountDownLatch left) throws InterruptedException {
        if (!left.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Not all orders came to their end in %s s [missing=%s]"
                    .formatted(PATIENCE_SECONDS, left.getCount()));
        }
    }

    /** Waits for the last commits: each step of each order must have had its effect once, and no effect of refused orders remains. */
    void check(JdbcTemplate sql) throws InterruptedException {
        Tally expected = Tally.expected(orders, refused);
        Tally found = Tally.of(sql);
        for (int look = 0; look < LOOKS && !found.equals(expected); look++) {
            Thread.sleep(LOOK_MILLIS);
            found = Tally.of(sql);
        }
        if (!found.equals(expected)) {
            throw new IllegalStateException("Not exactly once [found=%s, expected=%s]".formatted(found, expected));
        }
    }
}
