// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A message from one saga of a node to another, of the same id, is set aside, and only the receiver's class is known where its news comes. */
class SagaSenderDeployedTest {

    private static final String ID = "trip-1";

    record Open(String id) {}

    record Begin(String id) {}

    record Charge(String id) {}

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

    /** The new one. */
    @BunnySaga
    static final class Trip {
        record TripState(String id) {}

        @Starts
        @BunnyHandler(from = "desk")
        TripState on(Begin begin, SagaContext saga) {
            saga.step("charge", new Charge(begin.id()));
            return new TripState(begin.id());
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final MessageStore store = new MemoryMessageStore(world.timeline, Duration.ofDays(7));
    private final List<WireMessage> held = new ArrayList<>();

    @BeforeEach
    void aMessageOfTheNewOneIsSetAsideAtAnOlderInstance() {
        world.arrivals = message -> {
            boolean isHeld = "Charge".equals(message.message().type())
                    && message.route() instanceof Route.ToSubscribers
                    && message.message().body().length > 0;
            if (isHeld) {
                held.add(message.message());
            }
            return isHeld ? 0 : 1;
        };
        world.start("desk", List.of());
        world.start("shop", store, List.of(), new Bill(), new Trip());
        world.publish("desk", new Open("1"), ID);
        world.publish("desk", new Begin("1"), ID);
        world.stop("shop");
        world.start("shop", store, List.of(), new Bill());
        world.replay(SagaWorld.withBody(held.get(0), "{"), "shop-Charge");
        world.pass(Duration.ofMinutes(1));
    }

    private SagaView saga(String name) {
        return world.sagas("shop").find(name, ID).orElseThrow();
    }

    @Test
    void theReceiverIsStuckAtOnceAndTheSenderIsBlockedOnceItIsKnown() {
        assertThat(saga("Bill").status()).isEqualTo(SagaStatus.STUCK);
        world.pass(Duration.ofMinutes(9));

        world.stop("shop");
        world.start("shop", store, List.of(), new Bill(), new Trip());
        world.pass(Duration.ofMinutes(10));

        assertThat(saga("Trip").blockedOn()).extracting(BlockedOn::type).containsExactly("Charge");
        assertThat(saga("Bill").status()).isEqualTo(SagaStatus.STUCK);
        assertThat(world.poison("shop")).hasSize(1);
    }

    /** Or its own class would be stopped again by old news. */
    @Test
    void theReceiverThatHasGoneOnMeanwhileIsNotStoppedAgain() {
        world.replay(held.get(0), "shop-Charge");
        assertThat(saga("Bill").status()).isEqualTo(SagaStatus.ACTIVE);

        world.pass(Duration.ofHours(1));

        assertThat(saga("Bill").status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga("Bill").history())
                .filteredOn(entry -> entry.toString().contains("was set aside"))
                .hasSize(1);
    }
}
