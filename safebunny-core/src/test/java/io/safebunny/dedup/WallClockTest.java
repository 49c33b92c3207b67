// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** A wall clock that jumps decides nothing about claims. */
class WallClockTest {

    private final DedupBench bench = new DedupBench();
    private final Jumping jumping = new Jumping(bench.timeline);
    private final Deduplication observer = DedupBench.over(
            bench.store,
            new ConfirmedSender(bench.transport, jumping, Runnable::run, Duration.ofSeconds(5), 1_000),
            jumping,
            Runnable::run,
            new Metrics(new SimpleMeterRegistry()),
            new DedupOptions(LEASE, DedupBench.TAKEOVER_LIMIT, DedupBench.RETENTION));

    private void expectBusy() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(observer, MESSAGE, execution -> {}));
    }

    @Test
    void thatJumpsForwardTakesNoClaimFromAProcessThatIsAlive() throws Exception {
        bench.deliver(execution -> {
            expectBusy();
            jumping.wall = Duration.ofDays(8);
            expectBusy();
        });

        assertThat(bench.runs).hasSize(1);
    }

    @Test
    void thatJumpsBackDoesNotKeepTheClaimOfADeadOne() throws Exception {
        bench.crash(bench.instance, execution -> {});
        expectBusy();
        jumping.wall = Duration.ofDays(-8);
        bench.timeline.advance(LEASE);

        bench.deliver(observer, MESSAGE, execution -> {});

        assertThat(bench.runs).hasSize(2);
    }

    @Test
    void thatJumpsForwardEndsNoStepOfAClaimThatIsAlive() throws Exception {
        bench.deliver(observer, MESSAGE, execution -> {
            jumping.wall = Duration.ofDays(8);
            assertThat(execution.once("charge", Integer.class, () -> 1)).isEqualTo(1);
        });

        assertThat(bench.runs).hasSize(1);
    }

    /** The same as another, but for what the clock on the wall shows. */
    private static final class Jumping implements Timeline {

        private final Timeline steady;
        private Duration wall = Duration.ZERO;

        Jumping(Timeline steady) {
            this.steady = steady;
        }

        @Override
        public Instant now() {
            return steady.now().plus(wall);
        }

        @Override
        public long nanoTime() {
            return steady.nanoTime();
        }

        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            return steady.schedule(delay, task);
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            steady.sleep(duration);
        }

        @Override
        public <T> T await(CompletableFuture<T> future, Duration timeout)
                throws InterruptedException, ExecutionException, TimeoutException {
            return steady.await(future, timeout);
        }

        @Override
        public RandomGenerator random() {
            return steady.random();
        }
    }
}
