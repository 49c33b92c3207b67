// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A saga whose messages name it in their payload, and which is a participant of another one: it ships a parcel and takes it back, for an
 * order that always ends because nobody answers in time.
 */
public final class Correlated {

    private static final String PARCEL = "parcel-7";
    private static final int SCANS = 3;
    /** By then the order has ended, and the parcel is taken back while it waits for its next attempt, unless something goes wrong. */
    private static final int LATE_ATTEMPT = 3;

    private static final Duration ORDER_ENDS = Duration.ofSeconds(12);

    record Ship(String parcel) {}

    record TakeBack(String parcel) {}

    record Scanned(String parcel, int place) {}

    private Correlated() {}

    public static void declare(SimulatedSystem system) {
        system.node("orders", 2, node -> List.of(new Selling()))
                .node("carrier", 1, node -> List.of(new Carrying(node)))
                .holds("what was shipped is taken back afterwards", () -> {
                    List<String> done = new ArrayList<>(system.effects().all().keySet());
                    assertThat(done).contains("take back");
                    assertThat(system.effects().all().values()).containsOnly(1);
                    if (done.contains("ship")) {
                        assertThat(done).containsExactly("ship", "take back");
                    }
                })
                .holds("each scan of the parcel is counted once, whatever else it belongs to", () -> assertThat(
                                system.sagas("carrier", PARCEL))
                        .singleElement()
                        .extracting(SagaView::state)
                        .asString()
                        .contains("\"scans\":" + SCANS))
                .holds("nothing is kept under the ids of its messages", () -> assertThat(
                                system.sagas("carrier", Choreographed.SAGA))
                        .isEmpty());
        Choreographed.place(system, "hay");
        for (int place = 1; place <= SCANS; place++) {
            system.publish("storefront", new Scanned(PARCEL, place), "scanner-" + place);
        }
    }

    @BunnySaga(participants = "carrier")
    static final class Selling {

        record Sale(String order) {}

        @Starts
        @BunnyHandler(from = "storefront")
        Sale on(PlaceOrder order, SagaContext saga) {
            saga.step("ship", new Ship(PARCEL), new TakeBack(PARCEL));
            saga.timeout("late", ORDER_ENDS);
            return new Sale(order.orderId());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.fail("too late");
        }
    }

    /** May begin with any of its messages, since none of them has to be the first. */
    @BunnySaga
    record Carrying(SimulatedNode node) {

        record Parcel(boolean shipped, int scans) {}

        @Starts
        @CorrelatedBy("parcel")
        @BunnyHandler(from = "orders")
        Parcel on(Ship ship, @Nullable Parcel state, MessageContext context) {
            if (context.attempt() < LATE_ATTEMPT) {
                throw new IllegalStateException("there is no truck yet");
            }
            node.perform("ship", context.messageId());
            return new Parcel(true, state == null ? 0 : state.scans());
        }

        @Starts
        @CorrelatedBy("parcel")
        @BunnyHandler(from = "orders")
        Parcel on(TakeBack undo, @Nullable Parcel state, MessageContext context) {
            node.perform("take back", context.messageId());
            return new Parcel(false, state == null ? 0 : state.scans());
        }

        @Starts
        @CorrelatedBy("parcel")
        @BunnyHandler(from = "storefront")
        Parcel on(Scanned scanned, @Nullable Parcel state) {
            return state == null ? new Parcel(false, 1) : new Parcel(state.shipped(), state.scans() + 1);
        }
    }
}
