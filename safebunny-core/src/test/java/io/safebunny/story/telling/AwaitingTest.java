// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.story.NodeStory.Awaited;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A saga waits for what it has not taken yet, and never for what only starts it. */
class AwaitingTest {

    record Ordered(String id) {}

    record Reordered(String id) {}

    record Packed(String id) {}

    record Sent(String id) {}

    record State(String id) {}

    @BunnySaga
    static class Parcels {
        @Starts
        @BunnyHandler(from = "shop")
        State on(Ordered ordered, SagaContext saga) {
            return new State(ordered.id());
        }

        @Starts
        @BunnyHandler(from = "shop")
        State on(Reordered again, SagaContext saga) {
            return new State(again.id());
        }

        @BunnyHandler(from = "shop")
        State on(Packed packed, State state, SagaContext saga) {
            return state;
        }

        @BunnyHandler(from = "shop")
        void on(Sent sent, State state, SagaContext saga) {
            saga.complete();
        }
    }

    private final SagaWorld world = new SagaWorld();

    private void publish(Object message) {
        var unused = world.bunny("shop").publish(message, PublishOptions.none().withCorrelationId("p-1"));
        world.pass(Duration.ofSeconds(1));
    }

    private List<String> awaited() {
        return world.engine("parcels").get(StoryTeller.class).own("p-1").sagas().get(0).awaited().stream()
                .map(Awaited::type)
                .toList();
    }

    @Test
    void whatHasComeIsNotAwaitedAnyMore() {
        world.start("shop", List.of());
        world.start("parcels", List.of(), new Parcels());
        publish(new Ordered("1"));
        assertThat(awaited()).containsExactly("Packed", "Sent");

        publish(new Packed("1"));
        assertThat(awaited()).containsExactly("Sent");

        publish(new Sent("1"));
        assertThat(awaited()).isEmpty();
    }
}
