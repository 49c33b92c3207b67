// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.test.scheduler.DeterministicScheduler.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutsideTest {

    private static final Duration HOUR = Duration.ofHours(1);

    /** Answers on another thread as soon as somebody waits for it, if it does. */
    private final class Server implements Outside {

        volatile boolean isAwaited;
        volatile boolean answers = true;
        private volatile boolean answered;

        @Override
        public boolean isAwaited() {
            if (isAwaited && answers && !answered) {
                answered = true;
                CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> {
                    billing.begin(() -> done.add("answered at " + scheduler.elapsed()));
                    isAwaited = false;
                });
            }
            return isAwaited;
        }

        @Override
        public String giveUp() {
            isAwaited = false;
            return "the answer";
        }
    }

    private final List<String> done = new ArrayList<>();
    private final DeterministicScheduler scheduler =
            new DeterministicScheduler(Instant.EPOCH, Choices.IN_ORDER, new Limits(1_000, Duration.ofMillis(200)));
    private final SimulatedProcess billing = scheduler.process("billing");
    private final Server server = new Server();

    @AfterEach
    void close() {
        scheduler.close();
    }

    @Test
    void timePassesOnlyWhenNothingIsAwaited() {
        scheduler.awaits(server);
        billing.timeline().schedule(HOUR, () -> done.add("an hour later"));
        billing.executor().execute(() -> server.isAwaited = true);

        scheduler.runUntilIdle();

        assertThat(done).containsExactly("answered at PT0S", "an hour later");
    }

    @Test
    void noRunEndsBefore() {
        scheduler.awaits(server);
        server.isAwaited = true;
        assertThat(scheduler.isIdle()).isFalse();

        scheduler.advance(HOUR);

        assertThat(done).containsExactly("answered at PT0S");
        assertThat(scheduler.elapsed()).isEqualTo(HOUR);
        assertThat(scheduler.isIdle()).isTrue();
    }

    @Test
    void whatDoesNotComeIsNamedAndNotAwaitedAgain() {
        scheduler.awaits(server);
        server.answers = false;
        server.isAwaited = true;
        billing.timeline().schedule(HOUR, () -> done.add("an hour later"));

        assertThatThrownBy(scheduler::runUntilIdle)
                .isInstanceOf(StandstillException.class)
                .hasMessageEndingWith("there is still to come: the answer");
        assertThat(done).isEmpty();

        scheduler.runUntilIdle();
        assertThat(done).containsExactly("an hour later");
    }
}
