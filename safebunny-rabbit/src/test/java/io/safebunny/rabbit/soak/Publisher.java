// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.failure.PublishException;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Publishes orders one after the other, from threads that wait for each confirm and one that does not. An order that was not
 * confirmed is published again with the same key, as an application would.
 */
final class Publisher {

    private static final int WAITING_THREADS = 3;
    private static final int IN_FLIGHT = 100;
    private static final int BACKLOG = 1_000;
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration END = Duration.ofSeconds(60);

    private final Bunny bunny;
    private final Ledger ledger;
    private final Watch watch;
    private final Timeline timeline;
    private final AtomicInteger next = new AtomicInteger();
    private final Queue<Integer> again = new ConcurrentLinkedQueue<>();
    private final Semaphore inFlight = new Semaphore(IN_FLIGHT);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean enough;

    Publisher(Bunny bunny, Ledger ledger, Watch watch, Timeline timeline) {
        this.bunny = bunny;
        this.ledger = ledger;
        this.watch = watch;
        this.timeline = timeline;
    }

    /** Publishes one order per delay and waits for the confirms. */
    void publishDelayed(List<Duration> delays) {
        for (Duration delay : delays) {
            int number = number();
            bunny.publish(new Order(number), keyed(number).withDelay(delay));
            ledger.confirmed(number);
        }
    }

    void start() {
        for (int i = 0; i < WAITING_THREADS; i++) {
            start("publish-" + i, this::publishAndWait);
        }
        start("publish-async", this::publishAsync);
    }

    /** @return whether every publication has ended one way or the other within a minute, as it must */
    boolean stop() throws InterruptedException {
        enough = true;
        long end = timeline.nanoTime() + END.toNanos();
        for (Thread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, end - timeline.nanoTime()));
        }
        boolean ended = inFlight.tryAcquire(IN_FLIGHT, Math.max(1, end - timeline.nanoTime()), TimeUnit.NANOSECONDS);
        return ended && threads.stream().noneMatch(Thread::isAlive);
    }

    private void start(String name, Runnable loop) {
        Thread thread = new Thread(loop, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void publishAndWait() {
        for (Order order = nextOrder(); order != null; order = nextOrder()) {
            try {
                bunny.publish(order, options(order));
                ledger.confirmed(order.number());
            } catch (PublishException e) {
                failed(order, e);
            }
        }
    }

    private void publishAsync() {
        for (Order order = nextOrder(); order != null; order = nextOrder()) {
            Order one = order;
            inFlight.acquireUninterruptibly();
            var unused = bunny.publishAsync(one, options(one)).whenComplete((id, failure) -> {
                inFlight.release();
                if (failure == null) {
                    ledger.confirmed(one.number());
                } else {
                    failed(one, failure instanceof CompletionException wrapped ? wrapped.getCause() : failure);
                }
            });
        }
    }

    private void failed(Order order, @Nullable Throwable failure) {
        ledger.failed(order.number(), failure == null ? new IllegalStateException("no cause") : failure);
        again.add(order.number());
    }

    /** {@code null} when it is enough. Waits while the consumers are far behind, so that the end does not take long. */
    private @Nullable Order nextOrder() {
        while (!enough && ledger.backlog() > BACKLOG) {
            try {
                timeline.sleep(PAUSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
        if (enough) {
            return null;
        }
        Integer failedBefore = again.poll();
        if (failedBefore != null) {
            return new Order(failedBefore);
        }
        Order order = new Order(number());
        watch.publishing(order);
        return order;
    }

    private int number() {
        ledger.published.incrementAndGet();
        return next.getAndIncrement();
    }

    private static PublishOptions options(Order order) {
        return keyed(order.number()).withDelay(order.delay());
    }

    private static PublishOptions keyed(int number) {
        return PublishOptions.none().withIdempotencyKey(Order.id(number));
    }
}
