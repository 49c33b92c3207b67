// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.spi.store.ForwardingMessageStore;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.store.memory.MemoryMessageStore;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two sagas of one id are undone, and the acknowledgement for one of them is set aside while neither can be found. */
class SagaPairNewsTest {

    private static final String ID = "order-1";
    /** Longer than its retries take, and shorter than until it is looked for again. */
    private static final Duration UNTIL_SET_ASIDE = Duration.ofSeconds(25);

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

    private final class LateStore extends ForwardingMessageStore {
        LateStore() {
            super(new MemoryMessageStore(world.timeline, Duration.ofDays(7)));
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            return hidden && key.isShared() ? null : super.find(key);
        }
    }

    private final SagaWorld world = new SagaWorld();
    private boolean hidden;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("shop", new LateStore(), List.of(), new Trip(), new Bill());
        world.start(
                "hotel",
                List.of(
                        SagaWorld.handler("shop", Book.class, (payload, context) -> {}),
                        SagaWorld.handler("shop", Unbook.class, (payload, context) -> hidden = true)));
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
        world.pass(UNTIL_SET_ASIDE);
        assertThat(world.poison("shop")).hasSize(1);
        hidden = false;
        world.pass(Duration.ofMinutes(1));

        assertThat(status("Trip")).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(status("Bill")).isEqualTo(SagaStatus.COMPENSATING);
    }
}
