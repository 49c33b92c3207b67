// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A message that can only start a saga is nothing to one that exists, so the saga misses nothing when it is set aside. */
class SagaStartSetAsideTest {

    private static final String ID = "order-1";

    record Place(String order) {}

    record PlaceAgain(String order) {}

    record State(String order) {}

    @BunnySaga
    static final class Order {
        boolean failing;

        @Starts
        @BunnyHandler(from = "desk")
        State on(Place place) {
            if (failing) {
                throw new PoisonMessageException("as the test wants");
            }
            return new State(place.order());
        }

        @Starts
        @BunnyHandler(from = "desk")
        State on(PlaceAgain again) {
            return new State(again.order());
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Order order = new Order();

    private void start() {
        world.start("desk", List.of());
        world.start("orders", List.of(), order);
    }

    @Test
    void oneThatAnotherMessageBeginsAfterwardsIsNotStuck() {
        start();
        order.failing = true;
        world.publish("desk", new Place("1"), ID);
        assertThat(world.poison("orders")).hasSize(1);
        world.publish("desk", new PlaceAgain("2"), ID);
        world.pass(Duration.ofMinutes(20));

        assertThat(world.saga("orders", ID).status()).isEqualTo(SagaStatus.ACTIVE);
    }

    @Test
    void oneThatCannotEvenBeReadDoesNotStopTheSagaThatExists() {
        start();
        world.publish("desk", new PlaceAgain("2"), ID);
        WireMessage unreadable = new WireMessage(
                UUID.randomUUID().toString(), ID, "Place", "desk", 0L, "application/json", null, Map.of(), new byte[] {
                    '{'
                });
        world.replay(unreadable, "orders-Place");
        world.pass(Duration.ofMinutes(20));

        assertThat(world.poison("orders")).extracting(WireMessage::type).containsExactly("Place");
        assertThat(world.saga("orders", ID).status()).isEqualTo(SagaStatus.ACTIVE);
    }
}
