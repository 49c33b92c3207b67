// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnsTest {

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Turns<String> turns = new Turns<>(timeline);

    private Hold take(String key) {
        return Objects.requireNonNull(turns.tryTake(key), key);
    }

    @Test
    void hasOneHolderPerKey() {
        Hold first = take("a");

        assertThat(turns.tryTake("a")).isNull();
        take("b").close();
        first.close();
        take("a").close();
    }

    @Test
    void givesUpAtTheDeadlineAndLeavesTheLine() throws InterruptedException {
        Hold first = take("a");

        assertThat(turns.await("a", Deadline.after(Duration.ofSeconds(1), timeline)))
                .isNull();
        first.close();

        take("a").close(); // nobody is in line to whom it could have been given
    }

    @Test
    void givesAFreeTurnWithoutWaiting() throws InterruptedException {
        Hold free = turns.await("a", Deadline.after(Duration.ZERO, timeline));

        Objects.requireNonNull(free).close();
        assertThat(timeline.elapsed()).isZero();
    }

    @Test
    void thoseWhoDoNotWaitComeAgainAtThePaceOfTheTurns() {
        Duration first = turns.comesAgainIn("a");
        for (int i = 0; i < 50; i++) {
            Hold turn = take("a");
            timeline.advance(Duration.ofMillis(400));
            turn.close();
        }

        Duration second = turns.comesAgainIn("a");
        Duration third = turns.comesAgainIn("a");
        assertThat(first).isEqualTo(second).isEqualTo(Duration.ofMillis(200));
        assertThat(third).isBetween(Duration.ofMillis(250), Duration.ofMillis(400));
    }

    @Test
    void anInterruptedOneLeavesTheLine() throws InterruptedException {
        Hold first = take("a");
        Thread.currentThread().interrupt();
        try {
            Hold unused = turns.await("a", Deadline.after(Duration.ofSeconds(1), timeline));
            assertThat(unused).isNull();
        } catch (InterruptedException e) {
            assertThat(e).isNotNull();
        }
        boolean ignored = Thread.interrupted();
        first.close();

        take("a").close();
    }

    @Test
    void letsInOneAfterTheOtherAndLosesNone() throws Exception {
        SystemTimeline real = new SystemTimeline("turns-test");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<Integer>> results = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                results.add(threads.submit(() -> {
                    int entered = 0;
                    for (int round = 0; round < 2_000; round++) {
                        Hold turn = turns.await("a", Deadline.after(Duration.ofSeconds(30), real));
                        if (turn != null) {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            entered++;
                            inside.decrementAndGet();
                            turn.close();
                        }
                    }
                    return entered;
                }));
            }
            int sum = 0;
            for (Future<Integer> result : results) {
                sum += result.get();
            }
            assertThat(sum).isEqualTo(16_000);
            assertThat(most).hasValue(1);
        } finally {
            threads.shutdownNow();
            real.close();
        }
        take("a").close();
    }
}
