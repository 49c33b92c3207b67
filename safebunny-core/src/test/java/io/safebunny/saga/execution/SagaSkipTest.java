// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Skipping a step says that it was done only if it was. */
class SagaSkipTest {

    private static final String ID = "job-1";

    record Begin(String job) {}

    record Stop(String job) {}

    record Cut(String job) {}

    record Uncut(String job) {}

    record Glue(String job) {}

    record Unglue(String job) {}

    record State(String job) {}

    @BunnySaga(participants = "hands")
    static final class Job {
        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.step("cut", new Cut(begin.job()), new Uncut(begin.job()));
            saga.step("glue", new Glue(begin.job()), new Unglue(begin.job()));
            return new State(begin.job());
        }

        @BunnyHandler(from = "desk")
        void on(Stop stop, SagaContext saga) {
            saga.fail("stopped");
        }
    }

    private final SagaWorld world = new SagaWorld();

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("jobs", List.of(), new Job());
        world.start(
                "hands",
                List.of(
                        doing(Cut.class),
                        doing(Glue.class),
                        doing(Unglue.class),
                        SagaWorld.handler("jobs", Uncut.class, (payload, context) -> {
                            throw new PoisonMessageException("as the test wants");
                        })));
        world.publish("desk", new Begin("1"), ID);
    }

    private HandlerDefinition doing(Class<?> payload) {
        return SagaWorld.handler("jobs", payload, (message, context) -> world.effects.add(payload.getSimpleName()));
    }

    private void skip(String step, String reason) {
        world.sagas("jobs").skip("Job", ID, step, reason);
        world.settle();
    }

    private String lastEvent() {
        List<SagaView.Event> history = world.saga("jobs", ID).history();
        return history.get(history.size() - 1).what();
    }

    @Test
    void aStepThatIsUndoneIsNotSkipped() {
        world.publish("desk", new Stop("1"), ID);
        assertThat(world.saga("jobs", ID).status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);

        skip("glue", "the wrong one");

        assertThat(lastEvent()).isEqualTo("refused SKIP (the wrong one): the step is UNDONE");
        assertThat(world.saga("jobs", ID).steps())
                .extracting(SagaView.Step::status)
                .containsExactly(SagaView.StepStatus.UNDOING, SagaView.StepStatus.UNDONE);
    }

    @Test
    void ofTwoPeopleWhoSkipItTheSecondIsToldSo() {
        skip("cut", "one");
        assertThat(lastEvent()).isEqualTo("SKIP: one");

        skip("cut", "two");
        assertThat(lastEvent()).isEqualTo("refused SKIP (two): the step is SKIPPED");
    }
}
