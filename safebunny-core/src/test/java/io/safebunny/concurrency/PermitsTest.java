// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PermitsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final VirtualTimeline timeline = VirtualTimeline.skipping();

    private Deadline patience() {
        return Deadline.after(PATIENCE, timeline);
    }

    @Test
    void givesAsManyAsThereAreWithoutWaiting() throws InterruptedException {
        Permits permits = new Permits(2);

        assertThat(permits.acquire(patience())).isTrue();
        assertThat(permits.acquire(patience())).isTrue();
        assertThat(timeline.elapsed()).isZero();
    }

    @Test
    void waitsUntilTheDeadline() throws InterruptedException {
        Permits permits = new Permits(1);
        permits.acquire(patience());

        assertThat(permits.acquire(patience())).isFalse();
        assertThat(timeline.elapsed()).isEqualTo(PATIENCE);
    }

    @Test
    void waitsNoLongerThanUntilOneIsReleased() throws InterruptedException {
        Permits permits = new Permits(1);
        permits.acquire(patience());
        timeline.schedule(Duration.ofSeconds(1), permits::release);

        assertThat(permits.acquire(patience())).isTrue();
        assertThat(timeline.elapsed()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void doesNotWaitBehindADeadlineThatIsOver() throws InterruptedException {
        Permits permits = new Permits(1);
        Deadline over = Deadline.after(Duration.ZERO, timeline);

        assertThat(permits.acquire(over)).isTrue();
        assertThat(permits.acquire(over)).isFalse();
    }

    @Test
    void endsWhenInterrupted() {
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> new Permits(1).acquire(patience()));
    }

    /** Many more threads than permits, some of which give up at once: no permit is given twice, and none is forgotten. */
    @Test
    @SuppressWarnings("ThreadPriorityCheck") // yielding only makes threads meet more often
    void losesNoneAndWakesAll() throws InterruptedException {
        int count = 3;
        int threads = 12;
        int each = 3_000;
        Permits permits = new Permits(count);
        AtomicInteger held = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (SystemTimeline clock = new SystemTimeline("permits")) {
            for (int i = 0; i < threads; i++) {
                executor.execute(() -> {
                    for (int n = 0; n < each; n++) {
                        boolean hasty = n % 7 == 0;
                        try {
                            Duration left = hasty ? Duration.ofNanos(20_000) : Duration.ofMinutes(5);
                            if (permits.acquire(Deadline.after(left, clock))) {
                                most.accumulateAndGet(held.incrementAndGet(), Math::max);
                                Thread.yield(); // so that others come while it is held
                                held.decrementAndGet();
                                permits.release();
                            } else if (!hasty) {
                                refused.incrementAndGet();
                            }
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    }
                    done.countDown();
                });
            }
            assertThat(done.await(30, TimeUnit.SECONDS))
                    .as("nobody waits who was not woken")
                    .isTrue();
            for (int i = 0; i < count; i++) {
                assertThat(permits.acquire(Deadline.after(Duration.ZERO, clock)))
                        .isTrue();
            }
            assertThat(permits.acquire(Deadline.after(Duration.ZERO, clock)))
                    .as("more than there were")
                    .isFalse();
        } finally {
            executor.shutdownNow();
        }

        assertThat(refused).hasValue(0);
        assertThat(most.get()).isLessThanOrEqualTo(count);
    }
}
