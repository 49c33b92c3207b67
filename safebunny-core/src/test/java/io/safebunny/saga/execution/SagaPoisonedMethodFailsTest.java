// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The method that is told of a command that was set aside fails for good: the saga is stuck, and still knows on what it is blocked. */
class SagaPoisonedMethodFailsTest {

    private static final String ID = "job-1";

    record Begin(String job) {}

    record Work(String job) {}

    record State(String job) {}

    @BunnySaga(participants = "hands")
    static final class Job {
        final List<BlockedOn> told = new ArrayList<>();
        boolean failing = true;
        boolean forgetting;

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.step("work", new Work(begin.job()));
            return new State(begin.job());
        }

        @OnPoisoned
        void poisoned(BlockedOn blockedOn, SagaContext saga) {
            if (failing) {
                throw new PoisonMessageException("as the test wants");
            }
            told.add(blockedOn);
            if (forgetting) {
                saga.forget("work");
            }
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Job job = new Job();
    private boolean works;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("jobs", List.of(), job);
        world.start("hands", List.of(SagaWorld.handler("jobs", Work.class, (payload, context) -> {
            if (!works) {
                throw new PoisonMessageException("as the test wants");
            }
            world.effects.add("work");
        })));
        world.publish("desk", new Begin("1"), ID);
        world.pass(Duration.ofMinutes(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
    }

    private SagaView saga() {
        return world.saga("jobs", ID);
    }

    @Test
    void itIsBlockedOnThatCommand() {
        assertThat(saga().blockedOn()).extracting(BlockedOn::type).containsExactly("Work");
        assertThat(saga().blockedOn()).extracting(BlockedOn::reason).containsExactly("handler-failed");
    }

    @Test
    void isToldAgainWhenItGoesOn() {
        job.failing = false;
        world.sagas("jobs").resume("Job", ID, "mended");
        world.pass(Duration.ofMinutes(1));

        assertThat(job.told).extracting(BlockedOn::type).containsExactly("Work");
        works = true;
        world.sagas("jobs").retry("Job", ID, "mended");
        world.pass(Duration.ofMinutes(1));
        assertThat(world.effects).containsExactly("work");
        assertThat(saga().blockedOn()).isEmpty();
    }

    @Test
    void isStuckAgainWhileItFails() {
        world.sagas("jobs").resume("Job", ID, "perhaps");
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        assertThat(saga().blockedOn()).extracting(BlockedOn::type).containsExactly("Work");
    }

    /** No repair could name that command any more. */
    @Test
    void isNotBlockedOnWhatItForgets() {
        job.failing = false;
        job.forgetting = true;
        world.sagas("jobs").resume("Job", ID, "mended");
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().steps()).isEmpty();
        assertThat(saga().blockedOn()).isEmpty();
    }

    @Test
    void isToldOnceWhenTheNewsIsReplayed() {
        job.failing = false;
        for (WireMessage copy : world.poison("jobs")) {
            world.replay(copy, "jobs-BunnyPoisoned");
        }
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(job.told).hasSize(1);
        assertThat(saga().blockedOn()).hasSize(1);
    }
}
