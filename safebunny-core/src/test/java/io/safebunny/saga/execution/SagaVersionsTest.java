// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Deploying over sagas that are under way: classes of several versions take messages of the same sagas from one store. */
class SagaVersionsTest {

    private static final String ID = "tour-1";

    record Begin(int euros) {}

    record Add(int euros) {}

    /** As it was first. */
    @BunnySaga(name = "Tour")
    static class First {
        record Euros(int euros) {}

        @Starts
        @BunnyHandler(from = "desk")
        Euros on(Begin begin) {
            return new Euros(begin.euros());
        }

        @BunnyHandler(from = "desk")
        Euros on(Add add, Euros state) {
            return new Euros(state.euros() + add.euros());
        }
    }

    /** Has another field, which the first one can do without. */
    @BunnySaga(name = "Tour")
    static class Counting {
        record Counted(int euros, int messages) {}

        @Starts
        @BunnyHandler(from = "desk")
        Counted on(Begin begin) {
            return new Counted(begin.euros(), 1);
        }

        @BunnyHandler(from = "desk")
        Counted on(Add add, Counted state) {
            return new Counted(state.euros() + add.euros(), state.messages() + 1);
        }
    }

    /** Counts cents, which the first one would misread. */
    @BunnySaga(name = "Tour", version = 2)
    static class Cents {
        record InCents(long cents) {}

        @Upgrade(from = 1)
        static ObjectNode toCents(ObjectNode old) {
            old.put("cents", old.path("euros").asLong() * 100);
            old.remove("euros");
            return old;
        }

        @Starts
        @BunnyHandler(from = "desk")
        InCents on(Begin begin) {
            return new InCents(begin.euros() * 100L);
        }

        @BunnyHandler(from = "desk")
        InCents on(Add add, InCents state) {
            return new InCents(state.cents() + add.euros() * 100L);
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final MemoryMessageStore store = new MemoryMessageStore(world.timeline, Duration.ofDays(7));

    @BeforeEach
    void start() {
        world.start("desk", List.of());
    }

    /** Takes the place of the instance that ran before. */
    private void deploy(Object saga) {
        world.stop("tours");
        world.start("tours", store, List.of(), saga);
        world.settle();
    }

    private void send(Object message) {
        var unused = world.bunny("desk").publish(message, PublishOptions.none().withCorrelationId(ID));
        world.settle();
    }

    private String state() {
        return world.saga("tours", ID).state();
    }

    @Test
    void fieldsOfANewerVersionSurviveAnOlderOne() {
        deploy(new Counting());
        send(new Begin(1));
        deploy(new First());
        send(new Add(2));

        assertThat(state()).isEqualTo("{\"euros\":3,\"messages\":1}");
    }

    @Test
    void anOlderStateIsUpgradedWhenItIsRead() {
        deploy(new First());
        send(new Begin(1));
        deploy(new Cents());
        send(new Add(2));

        assertThat(state()).isEqualTo("{\"cents\":300}");
        assertThat(world.saga("tours", ID).stateVersion()).isEqualTo(2);
    }

    @Test
    void aNewerStateIsLeftAloneUntilAnInstanceComesThatKnowsIt() {
        deploy(new Cents());
        send(new Begin(1));
        deploy(new First());
        send(new Add(2));
        world.pass(Duration.ofMinutes(10));
        assertThat(state()).isEqualTo("{\"cents\":100}");
        assertThat(world.poison("tours")).isEmpty();

        deploy(new Cents());
        world.pass(Duration.ofMinutes(1));

        assertThat(state()).isEqualTo("{\"cents\":300}");
    }
}
