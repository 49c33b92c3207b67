// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A saga of which more messages are set aside than it keeps in mind. */
class SagaBlockedBoundTest {

    private static final String ID = "tour-1";
    private static final int KEPT = 100;
    private static final int STEPS = KEPT + 5;

    record Begin(int steps) {}

    record Visit(int number) {}

    record Leave(int number) {}

    @BunnySaga(participants = "places")
    static final class Tour {
        record State(int steps) {}

        final List<BlockedOn> told = new ArrayList<>();

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            for (int i = 0; i < begin.steps(); i++) {
                saga.step("visit" + i, new Visit(i), new Leave(i));
            }
            return new State(begin.steps());
        }

        @OnPoisoned
        void poisoned(BlockedOn blockedOn) {
            told.add(blockedOn);
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Tour tour = new Tour();
    private final List<Integer> visited = new ArrayList<>();
    private boolean closed = true;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("tours", List.of(), tour);
        world.start(
                "places",
                List.of(
                        SagaWorld.handler("tours", Visit.class, (payload, context) -> {
                            if (closed) {
                                throw new PoisonMessageException("closed");
                            }
                            visited.add(((Visit) payload).number());
                        }),
                        SagaWorld.handler("tours", Leave.class, (payload, context) -> {})));
        world.publish("desk", new Begin(STEPS), ID);
    }

    private List<BlockedOn> blockedOn() {
        return world.saga("tours", ID).blockedOn();
    }

    @Test
    void namesTheLatestHundredAndIsToldOfAll() {
        assertThat(tour.told).hasSize(STEPS);
        assertThat(blockedOn()).isEqualTo(tour.told.subList(STEPS - KEPT, STEPS));
    }

    /** The others are in the poison queue of their participant, as all are. */
    @Test
    void aRetrySendsThoseAgainThatItNames() {
        closed = false;
        world.sagas("tours").retry("Tour", ID, "open again");
        world.settle();

        assertThat(visited).hasSize(KEPT).first().isEqualTo(STEPS - KEPT);
        assertThat(blockedOn()).isEmpty();
        assertThat(world.poison("places")).hasSize(STEPS);
    }
}
