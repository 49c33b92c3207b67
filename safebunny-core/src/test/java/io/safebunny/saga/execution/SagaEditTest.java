// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.EditFailedException;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.Captured;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.Refund;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.saga.execution.OrderSaga.StockReserved;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A saga waits for a message that is edited in the poison queue: it remains the same message. */
class SagaEditTest {

    private static final String ID = "order-1";

    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();

    @BeforeEach
    void start() {
        world.worksWhileAsking = true; // a replay asks orders
        world.start("storefront", List.of());
        world.start("orders", List.of(), orders);
        world.start(
                "warehouse",
                List.of(
                        SagaWorld.handler("orders", ReserveStock.class, (payload, context) -> {
                            ReserveStock reserve = (ReserveStock) payload;
                            world.effects.add("reserved " + reserve.order());
                            if (reserve.order().equals("unknown")) {
                                throw new PoisonMessageException("no such order");
                            }
                            world.bunny("warehouse").publish(new StockReserved(reserve.order()));
                        }),
                        SagaWorld.handler("orders", ReleaseStock.class, (payload, context) -> {})));
        world.start(
                "billing",
                List.of(
                        SagaWorld.handler("orders", Capture.class, (payload, context) -> world.bunny("billing")
                                .publish(new Captured("1"))),
                        SagaWorld.handler("orders", Refund.class, (payload, context) -> {})));
    }

    private SagaView saga() {
        return world.saga("orders", ID);
    }

    private void edit(String node, String body) {
        WireMessage copy = world.poison(node).get(0);
        var unused = poison(node)
                .edit(new PoisonEdit(
                        String.valueOf(copy.messageId()),
                        String.valueOf(copy.headers().get(Headers.POISON_DIGEST)),
                        body.getBytes(StandardCharsets.UTF_8),
                        "tester",
                        "a typing error"));
    }

    private void replay(String node) {
        var unused = poison(node).replay(PoisonRequest.of(PoisonFilter.all(), "tester", "edited"));
        world.settle();
    }

    private PoisonMessages poison(String node) {
        return world.engine(node).get(PoisonMessages.class);
    }

    private List<Verdict> verdicts(String node) {
        return poison(node).list(PoisonFilter.all()).messages().stream()
                .map(PoisonedMessage::verdict)
                .toList();
    }

    @Test
    void aCommandIsTheSameCommandToItsSaga() {
        world.publish("storefront", new PlaceOrder("unknown", 100), ID);
        assertThat(saga().blockedOn()).hasSize(1);
        WireMessage unedited = world.poison("warehouse").get(0);
        edit("warehouse", "{\"order\":\"1\"}");
        assertThat(saga().blockedOn()).hasSize(1);

        replay("warehouse");
        assertThat(world.effects).containsExactly("reserved unknown", "reserved 1");
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPLETED);

        world.replay(unedited, "warehouse-ReserveStock");
        assertThat(verdicts("warehouse")).containsExactly(Verdict.SUPERSEDED);
        assertThat(world.effects).hasSize(2);
    }

    /** Otherwise it would wait for a copy that nobody is to replay. */
    @Test
    void aSagaIsNotToldOfTheUneditedCommandOnceTheEditedOneWasHandled() {
        world.stop("billing"); // so that the saga goes on, and does not end
        world.publish("storefront", new PlaceOrder("unknown", 100), ID);
        WireMessage unedited = world.poison("warehouse").get(0);
        edit("warehouse", "{\"order\":\"1\"}");
        replay("warehouse");
        assertThat(saga().blockedOn()).isEmpty();
        assertThat(orders.poisoned).hasSize(1);

        Map<String, Object> headers = new LinkedHashMap<>(unedited.headers());
        headers.put(Headers.SENT_AT, world.timeline.now().toEpochMilli() + 1); // as a repair that was begun before
        world.replay(unedited.withHeaders(headers), "warehouse-ReserveStock");

        assertThat(world.poison("warehouse")).hasSize(1);
        assertThat(saga().blockedOn()).isEmpty();
        assertThat(orders.poisoned).hasSize(1);
    }

    /** A repair sends it as it was sent, and it comes back; the edited one still waits. */
    @Test
    void aRepairDoesNotHandleTheUneditedCommand() {
        world.publish("storefront", new PlaceOrder("unknown", 100), ID);
        edit("warehouse", "{\"order\":\"1\"}");

        world.pass(Duration.ofSeconds(1)); // news of the same moment would be the same
        world.sagas("orders").retry("OrderSaga", ID, "try it");
        world.settle();

        assertThat(world.effects).containsExactly("reserved unknown");
        assertThat(saga().blockedOn()).hasSize(1);
        assertThat(verdicts("warehouse")).containsExactly(Verdict.RUN, Verdict.SUPERSEDED);
    }

    @Test
    void aStuckSagaGoesOnWhenTheEditedMessageIsReplayed() {
        orders.failing = true;
        world.publish("storefront", new PlaceOrder("1", 100), ID);
        world.pass(Duration.ofMinutes(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        orders.failing = false;

        edit("orders", "{\"order\":\"2\"}");
        replay("orders");

        assertThat(saga().status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(world.poison("orders")).isEmpty();
    }

    @BunnySaga
    static class ParcelSaga {

        record Packed(String parcel, int kilos) {}

        record Parcel(int kilos) {}

        @Starts
        @BunnyHandler(from = "storefront")
        @CorrelatedBy("parcel")
        Parcel on(Packed packed, SagaContext saga) {
            if (packed.kilos() > 30) {
                throw new PoisonMessageException("too heavy");
            }
            return new Parcel(packed.kilos());
        }
    }

    /** Its record would not be found there. */
    @Test
    void aMessageCannotBeMovedToAnotherSaga() {
        world.start("parcels", List.of(), new ParcelSaga());
        world.publish("storefront", new ParcelSaga.Packed("p-1", 300), ID);

        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> edit("parcels", "{\"parcel\":\"p-2\",\"kilos\":30}"))
                .withMessageContainingAll("SB-5014", "another saga");
        edit("parcels", "{\"parcel\":\"p-1\",\"kilos\":30}");
        replay("parcels");

        assertThat(world.saga("parcels", "p-1").status()).isEqualTo(SagaStatus.ACTIVE);
    }
}
