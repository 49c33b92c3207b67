// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.transport.Route;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two sagas of one id are undone, and the acknowledgement for one of them is set aside. */
class SagaPairNewsTest {

    private static final String ID = "order-1";

    record BeginTrip(String id) {}

    record BeginBill(String id) {}

    record Book(String id) {}

    record Unbook(String id) {}

    record Charge(String id) {}

    record Refund(String id) {}

    @BunnySaga(participants = "hotel")
    static class Trip {
        record TripState(String id) {}

        @Starts
        @BunnyHandler(from = "desk")
        TripState on(BeginTrip begin, SagaContext saga) {
            saga.step("book", new Book(begin.id()), new Unbook(begin.id()));
            saga.fail("as the test wants");
            return new TripState(begin.id());
        }
    }

    @BunnySaga(participants = "bank")
    static class Bill {
        record BillState(String id) {}

        @Starts
        @BunnyHandler(from = "desk")
        BillState on(BeginBill begin, SagaContext saga) {
            saga.step("charge", new Charge(begin.id()), new Refund(begin.id()));
            saga.fail("as the test wants");
            return new BillState(begin.id());
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final List<WireMessage> held = new ArrayList<>();

    @BeforeEach
    void start() {
        world.arrivals = message -> {
            boolean isHeld = message.route() instanceof Route.ToSubscribers
                    && "BunnyUndone".equals(message.message().type())
                    && message.message().body().length > 0; // a notice has none
            if (isHeld) {
                held.add(message.message());
            }
            return isHeld ? 0 : 1;
        };
        world.start("desk", List.of());
        world.start("shop", List.of(), new Trip(), new Bill());
        world.start(
                "hotel",
                List.of(
                        SagaWorld.handler("shop", Book.class, (payload, context) -> {}),
                        SagaWorld.handler("shop", Unbook.class, (payload, context) -> {})));
        world.start(
                "bank",
                List.of(
                        SagaWorld.handler("shop", Charge.class, (payload, context) -> {}),
                        SagaWorld.handler("shop", Refund.class, (payload, context) -> {})));
        world.stop("bank"); // its queues stay, so the other saga waits for its own acknowledgement
        world.publish("desk", new BeginBill("1"), ID);
        world.publish("desk", new BeginTrip("1"), ID);
    }

    private SagaStatus status(String saga) {
        return world.sagas("shop").find(saga, ID).orElseThrow().status();
    }

    @Test
    void onlyTheOneIsToldThatSentTheUndo() {
        world.replay(SagaWorld.withBody(held.get(0), "{"), "shop-BunnyUndone");

        assertThat(world.poison("shop")).hasSize(1);
        assertThat(status("Trip")).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(status("Bill")).isEqualTo(SagaStatus.COMPENSATING);
    }
}
