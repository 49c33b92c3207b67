// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyRetry;
import io.safebunny.PoisonMessageException;
import io.safebunny.ThrottledException;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Methods of timeouts that fail, or are throttled. */
class SagaTimeoutFailuresTest {

    private static final Duration DUE = Duration.ofMinutes(5);
    private static final Duration DELAY = Duration.ofSeconds(10);

    record Begin(String id) {}

    record Ask(String id) {}

    record State(String id) {}

    @BunnySaga
    static final class Waiting {
        final SagaWorld world = new SagaWorld();
        /** When its methods ran, since the timeouts were due. */
        final Map<String, List<Duration>> runs = new HashMap<>();
        /** What each of them does, by the saga's id. */
        final Map<String, Consumer<SagaContext>> doing = new HashMap<>();

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.timeout("late", DUE);
            return new State(begin.id());
        }

        @OnTimeout("late")
        void late(State state, SagaContext saga) {
            runs.computeIfAbsent(state.id(), first -> new ArrayList<>())
                    .add(world.timeline.elapsed().minus(DUE));
            doing.getOrDefault(state.id(), SagaContext::complete).accept(saga);
        }

        List<Duration> runs(String id) {
            return Objects.requireNonNull(runs.get(id), "It has not run");
        }
    }

    /** More patient than the other, as far as delayed retries go. */
    @BunnySaga
    static final class Patient {
        @Starts
        @BunnyHandler(
                from = "desk",
                retry = @BunnyRetry(maxRetries = "1", initialInterval = "1s", maxInterval = "1s"),
                delayedRetries = {"1m", "1m", "1m", "1m"})
        State on(Ask ask) {
            return new State(ask.id());
        }
    }

    private final Waiting waiting = new Waiting();
    private final SagaWorld world = waiting.world;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
    }

    private void begin(String... ids) {
        for (String id : ids) {
            world.publish("desk", new Begin(id), id);
        }
    }

    private void beginAndGetLate(String... ids) {
        begin(ids);
        world.pass(DUE);
    }

    private void failing(String id, int times, RuntimeException failure) {
        waiting.doing.put(id, saga -> {
            if (waiting.runs(id).size() <= times) {
                throw failure;
            }
            saga.complete();
        });
    }

    private SagaStatus status(String id) {
        return world.saga("waits", id).status();
    }

    @Test
    void isRetriedLikeTheHandlersOfTheNode() {
        world.start("waits", List.of(), waiting);
        failing("a", 2, new IllegalStateException("as the test wants"));
        beginAndGetLate("a");
        assertThat(status("a")).isEqualTo(SagaStatus.ACTIVE);
        assertThat(world.saga("waits", "a").timeouts()).as("until it has run").containsKey("late");
        world.pass(DELAY.multipliedBy(3));

        assertThat(waiting.runs("a")).containsExactly(Duration.ZERO, DELAY, DELAY.multipliedBy(2));
        assertThat(status("a")).isEqualTo(SagaStatus.COMPLETED);
        assertThat(world.poison("waits")).isEmpty();
    }

    @Test
    void isRetriedLikeTheMostPatientHandlerOfAllSagas() {
        world.start("waits", List.of(), waiting, new Patient());
        failing("a", Integer.MAX_VALUE, new IllegalStateException("as the test wants"));
        beginAndGetLate("a");
        world.pass(Duration.ofMinutes(10));

        List<Duration> runs = waiting.runs("a");
        assertThat(runs).hasSize((1 + 1) * (4 + 1)).startsWith(Duration.ZERO, Duration.ofSeconds(1));
        assertThat(runs.get(2))
                .isBetween(Duration.ofMinutes(1), Duration.ofMinutes(1).plusSeconds(2));
        assertThat(status("a")).isEqualTo(SagaStatus.STUCK);
        assertThat(world.poison("waits")).singleElement().satisfies(copy -> assertThat(copy.headers())
                .containsEntry("sb-poison-reason", "retries-exhausted")
                .containsEntry("sb-poison-queue", "waits-BunnyTimeout"));
    }

    @Test
    void whileItFailsNoOtherWaits() {
        world.start("waits", List.of(), waiting);
        for (int i = 0; i < 100; i++) { // more than open a breaker by their rate
            failing("bad-" + i, Integer.MAX_VALUE, new PoisonMessageException("as the test wants"));
            begin("bad-" + i);
        }
        beginAndGetLate("good");

        assertThat(waiting.runs.get("good")).containsExactly(Duration.ZERO);
        assertThat(status("good")).isEqualTo(SagaStatus.COMPLETED);
        assertThat(status("bad-0")).isEqualTo(SagaStatus.STUCK);
    }

    /** And costs no attempt: more often than it is retried. */
    @Test
    void oneThatIsThrottledHasAllOfThemWaitAsLongAsItAsks() {
        world.start("waits", List.of(), waiting);
        Duration pause = Duration.ofMinutes(2);
        failing("a", 4, new ThrottledException(pause));
        beginAndGetLate("a", "b");
        assertThat(waiting.runs).containsOnlyKeys("a");

        world.pass(pause.multipliedBy(6));

        assertThat(waiting.runs("a")).hasSize(5);
        assertThat(waiting.runs("a").get(1)).isBetween(pause, pause.plusSeconds(5));
        assertThat(status("a")).isEqualTo(SagaStatus.COMPLETED);
        assertThat(waiting.runs("b")).hasSize(1);
        assertThat(waiting.runs("b").get(0)).isGreaterThanOrEqualTo(pause);
        assertThat(status("b")).isEqualTo(SagaStatus.COMPLETED);
        assertThat(world.poison("waits")).isEmpty();
    }

    /** Handlers of the node's other types are not concerned. */
    @Test
    void messagesOfTheSagaAreHandledWhileItsTimeoutsAreThrottled() {
        world.start("waits", List.of(), waiting);
        failing("a", 1, new ThrottledException(Duration.ofMinutes(2)));
        beginAndGetLate("a");

        begin("b");

        assertThat(status("b")).isEqualTo(SagaStatus.ACTIVE);
    }
}
