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
import io.safebunny.transport.Route;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** News of a message that was set aside is set aside itself: nobody whom it would have stopped goes on without it. */
class SagaNewsSetAsideTest {

    private static final String ID = "trip-1";

    record Open(String id) {}

    record Begin(String id) {}

    record Charge(String id) {}

    record Book(String id) {}

    record Unbook(String id) {}

    /** Takes a message of the other one. */
    @BunnySaga
    static final class Bill {
        record BillState(String id) {}

        @Starts
        @BunnyHandler(from = "desk")
        BillState on(Open open) {
            return new BillState(open.id());
        }

        @BunnyHandler(from = "shop")
        void on(Charge charge, BillState state) {}
    }

    @BunnySaga(participants = "hotel")
    static final class Trip {
        record TripState(String id) {}

        boolean fails;

        @Starts
        @BunnyHandler(from = "desk")
        TripState on(Begin begin, SagaContext saga) {
            saga.step("charge", new Charge(begin.id()));
            saga.step("book", new Book(begin.id()), new Unbook(begin.id()));
            return new TripState(begin.id());
        }

        @OnPoisoned
        void told(BlockedOn blockedOn) {
            if (fails) {
                throw new PoisonMessageException("as the test wants");
            }
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Trip trip = new Trip();
    private final List<WireMessage> held = new ArrayList<>();
    private boolean newsFails;
    private boolean hotelFails = true;

    private void start() {
        world.consumeMiddlewares = List.of((context, next) -> {
            if (newsFails && "BunnyPoisoned".equals(context.type())) {
                throw new PoisonMessageException("as the test wants");
            }
            next.run();
        });
        world.start("desk", List.of());
        world.start("shop", List.of(), new Bill(), trip);
        world.start(
                "hotel",
                List.of(
                        SagaWorld.handler("shop", Book.class, (payload, context) -> {}),
                        SagaWorld.handler("shop", Unbook.class, (payload, context) -> {
                            if (hotelFails) {
                                throw new PoisonMessageException("as the test wants");
                            }
                        })));
        world.publish("desk", new Open("1"), ID);
    }

    private SagaView saga(String name) {
        return world.sagas("shop").find(name, ID).orElseThrow();
    }

    private WireMessage poisonedNews() {
        return world.poison("shop").stream()
                .filter(copy -> "BunnyPoisoned".equals(copy.type()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void thatOfAGapStopsTheOneForWhichTheMessageWasMeantToo() {
        world.arrivals = message -> {
            boolean isHeld = "Charge".equals(message.message().type())
                    && message.route() instanceof Route.ToSubscribers
                    && message.message().body().length > 0;
            if (isHeld) {
                held.add(message.message());
            }
            return isHeld ? 0 : 1;
        };
        start();
        trip.fails = true;
        world.publish("desk", new Begin("1"), ID);
        world.replay(SagaWorld.withBody(held.get(0), "{"), "shop-Charge");

        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.STUCK);
        assertThat(saga("Bill").status()).isEqualTo(SagaStatus.STUCK);

        trip.fails = false;
        world.replay(poisonedNews(), "shop-BunnyPoisoned");
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga("Trip").blockedOn()).extracting(BlockedOn::type).containsExactly("Charge");
        assertThat(saga("Bill").status()).as("it still lacks the message").isEqualTo(SagaStatus.STUCK);
    }

    @Test
    void thatOfAnUndoLeavesTheSagaToAPerson() {
        start();
        world.publish("desk", new Begin("1"), ID);
        newsFails = true;
        world.sagas("shop").fail("Trip", ID, "as the test wants");
        world.settle();

        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(saga("Trip").blockedOn()).extracting(BlockedOn::type).containsExactly("Unbook");

        newsFails = false;
        hotelFails = false;
        world.replay(poisonedNews(), "shop-BunnyPoisoned");
        world.sagas("shop").retry("Trip", ID, "the hotel is open");
        world.settle();
        assertThat(saga("Trip").status()).isEqualTo(SagaStatus.FAILED);
    }
}
