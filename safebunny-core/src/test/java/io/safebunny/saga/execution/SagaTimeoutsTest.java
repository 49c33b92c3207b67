// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Timeouts that are moved, set again and lost, and what they cost the broker. */
class SagaTimeoutsTest {

    private static final String ID = "wait-1";
    private static final int MANY = 2_000;

    record Begin(int minutes) {}

    record Move(int minutes) {}

    @BunnySaga
    static class Waiting {
        record State(int runs) {}

        final List<Instant> runs = new ArrayList<>();
        SagaWorld world = new SagaWorld();
        int setAgain;

        @Nullable
        Duration early;

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.timeout("late", Duration.ofMinutes(begin.minutes()));
            if (early != null) {
                saga.timeout("early", early);
            }
            return new State(0);
        }

        @OnTimeout("early")
        void early() {}

        @BunnyHandler(from = "desk")
        void on(Move move, SagaContext saga) {
            saga.timeout("late", Duration.ofMinutes(move.minutes()));
        }

        @OnTimeout("late")
        State late(State state, SagaContext saga) {
            runs.add(world.timeline.now());
            if (setAgain > 0) {
                saga.timeout("late", Duration.ofMinutes(setAgain));
                setAgain = 0;
            } else {
                saga.complete();
            }
            return new State(state.runs() + 1);
        }
    }

    private final Waiting waiting = new Waiting();
    private final SagaWorld world = waiting.world;
    private final Instant begun = world.timeline.now();
    private int alarms;

    @BeforeEach
    void start() {
        world.arrivals = message -> {
            boolean isAlarm = "BunnyTimeout".equals(message.message().type());
            alarms += isAlarm ? 1 : 0;
            return isAlarm && world.losesDelayed && !message.delay().isZero() ? 0 : 1;
        };
        world.start("desk", List.of());
        world.start("waits", List.of(), waiting);
    }

    private void send(Object message) {
        var unused = world.bunny("desk").publish(message, PublishOptions.none().withCorrelationId(ID));
        world.settle();
    }

    @Test
    void isMovedAThousandTimesForTwoMessages() {
        send(new Begin(10));
        for (int i = 0; i < 1_000; i++) {
            send(new Move(10));
        }
        world.pass(Duration.ofMinutes(5));
        send(new Move(10));
        world.pass(Duration.ofMinutes(10));

        assertThat(waiting.runs).containsExactly(begun.plus(Duration.ofMinutes(15)));
        assertThat(alarms).isEqualTo(2);
    }

    @Test
    void theAlarmOfAnEarlierSettingIsStale() {
        waiting.setAgain = 20;
        send(new Begin(10));
        send(new Move(1)); // earlier: another alarm, and the first one is still on its way

        world.pass(Duration.ofMinutes(30));

        assertThat(waiting.runs).containsExactly(begun.plus(Duration.ofMinutes(1)), begun.plus(Duration.ofMinutes(21)));
        assertThat(alarms).isEqualTo(3);
        assertThat(world.counted("safebunny.saga.ignored", "reason", "stale")).isEqualTo(1);
    }

    @Test
    void oneThatIsLookedAfterDoesNotDelayAnother() {
        world.arrivals = message -> {
            boolean isEarly = new String(message.message().body(), StandardCharsets.UTF_8).contains("early");
            return isEarly || !message.delay().isZero() ? 0 : 1;
        };
        world.pass(Duration.ofSeconds(1)); // so that the other is over just after a round
        waiting.early = Duration.ofSeconds(40);
        send(new Begin(1));

        world.pass(Duration.ofMinutes(1).plus(SagaWorld.LEASE));

        assertThat(waiting.runs).hasSize(1);
    }

    @Test
    void manyWhoseMessagesAreAllLostRunOnceAndInTime() {
        world.losesDelayed = true;
        for (int i = 0; i < MANY; i++) {
            var unused = world.bunny("desk")
                    .publish(new Begin(10), PublishOptions.none().withCorrelationId("wait-" + i));
        }
        world.settle();
        world.losesDelayed = false;

        world.pass(Duration.ofMinutes(10).plus(SagaWorld.LEASE.multipliedBy(2)));

        assertThat(waiting.runs).hasSize(MANY);
        world.pass(Duration.ofMinutes(10));
        assertThat(waiting.runs).hasSize(MANY);
        for (int i = 0; i < MANY; i++) {
            assertThat(world.saga("waits", "wait-" + i).status()).isEqualTo(SagaStatus.COMPLETED);
        }
    }
}
