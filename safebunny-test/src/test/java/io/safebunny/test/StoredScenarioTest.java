// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.store.record.RecordJson;
import io.safebunny.test.OrderSaga.Capture;
import io.safebunny.test.OrderSaga.PlaceOrder;
import io.safebunny.test.OrderSaga.Refund;
import io.safebunny.test.OrderSaga.ReserveStock;
import io.safebunny.test.OrderSaga.Shipped;
import io.safebunny.test.OrderSaga.State;
import io.safebunny.test.OrderSaga.StockReserved;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;

/** Scenarios that begin with a stored saga, and messages as they were on the wire. */
class StoredScenarioTest {

    private static final Instant CHANGED_AT = Instant.parse("2026-03-01T10:00:00Z");

    /** An order in the store. */
    private static String order(String more) {
        return "{\"format\":1,\"startedAt\":%s,\"changedAt\":%s,\"status\":\"ACTIVE\",\"stateVersion\":1,\"state\":{\"order\":\"7\",\"cents\":1999}%s}"
                .formatted(CHANGED_AT.minusSeconds(60).toEpochMilli(), CHANGED_AT.toEpochMilli(), more);
    }

    private static String paymentDue(Duration in) {
        long due = CHANGED_AT.plus(in).toEpochMilli();
        return ",\"timeouts\":{\"payment\":{\"token\":\"t-1\",\"due\":%s,\"wakesAt\":%s}}".formatted(due, due);
    }

    private static String paid() {
        return ",\"steps\":[{\"name\":\"pay\",\"status\":\"SENT\",\"command\":%s,\"undo\":%s}]"
                .formatted(sent("Capture"), sent("Refund"));
    }

    /** A message as it is stored within a saga. */
    private static String sent(String type) {
        WireMessage message = new WireMessage(
                "id-" + type,
                "order-7",
                type,
                "orders",
                1L,
                "application/json",
                null,
                Map.of("sb-marker", 2, "sb-undoes", "id-Capture"),
                "{\"order\":\"7\"}".getBytes(StandardCharsets.UTF_8));
        String stored = RecordJson.writeOutgoing(
                List.of(new OutboundMessage(message, new Route.ToSubscribers("orders-" + type), Duration.ZERO)));
        return JsonNodeFactory.instance.stringNode(stored).toString();
    }

    private static SagaScenario stored(String more) {
        return SagaScenario.of(new OrderSaga())
                .inNode("orders")
                .withId("order-7")
                .stored(order(more));
    }

    @Test
    void aSagaGoesOnWhereItWas() {
        SagaScenario scenario = stored("");

        assertThat(scenario)
                .status(SagaStatus.ACTIVE)
                .state(new State("7", 1999))
                .nothingSetAside();
        assertThat(scenario.view().id()).isEqualTo("order-7");
        assertThat(scenario.when("warehouse", new StockReserved("7")))
                .publishedLast(new Capture("7", 1999))
                .state(new State("7", 2000))
                .never(ReserveStock.class);
    }

    @Test
    void timeBeginsWhenItWasLastChanged() {
        SagaScenario scenario = stored(paymentDue(Duration.ofMinutes(15)));

        assertThat(scenario.view().changedAt()).isEqualTo(CHANGED_AT);
        assertThat(scenario.view().startedAt()).isEqualTo(CHANGED_AT.minusSeconds(60));
        assertThat(scenario).timeout("payment", Duration.ofMinutes(15));
        assertThat(scenario.advance(Duration.ofMinutes(14))).status(SagaStatus.ACTIVE);
        assertThat(scenario.advance(Duration.ofMinutes(1)))
                .status(SagaStatus.FAILED)
                .reason("too late");
    }

    @Test
    void aTimeoutThatIsOverComesWithTheFirstStep() {
        SagaScenario scenario = stored(paymentDue(Duration.ofMinutes(-1)));

        assertThat(scenario).status(SagaStatus.ACTIVE);
        assertThat(scenario.advance(Duration.ZERO)).status(SagaStatus.FAILED).reason("too late");
    }

    @Test
    void itsStepsAreUndone() {
        assertThat(stored(paid() + paymentDue(Duration.ZERO)).advance(Duration.ZERO))
                .status(SagaStatus.FAILED)
                .published(Refund.class)
                .undone("pay");
    }

    @Test
    void aBodyIsDeliveredAsItIs() {
        assertThat(stored("").whenDelivered("warehouse", "StockReserved", "{\"order\": \"7\"}"))
                .handled(StockReserved.class, 1)
                .publishedLast(new Capture("7", 1999))
                .nothingSetAside();
        assertThat(stored("").whenDelivered("warehouse", "StockReserved", "{\"order\":"))
                .setAside(StockReserved.class, "malformed-body")
                .status(SagaStatus.STUCK);
    }

    @Test
    void aBodyStartsASaga() {
        assertThat(SagaScenario.of(new OrderSaga())
                        .whenDelivered("storefront", "PlaceOrder", "{\"order\":\"7\",\"cents\":5}"))
                .state(new State("7", 5))
                .handled(PlaceOrder.class, 1);
    }

    @Test
    void aBodyIsRepeated() {
        assertThat(stored("")
                        .whenDelivered("warehouse", "StockReserved", "{\"order\":\"7\"}")
                        .repeat())
                .handled(StockReserved.class, 1)
                .published(Capture.class);
    }

    @Test
    void aFailureIsTheSameAsInProduction() {
        SagaScenario scenario = stored("").whenDelivered("carrier", "Shipped", "{\"order\":\"7\"}");

        assertThat(scenario).setAside(Shipped.class, "retries-exhausted");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(scenario).nothingSetAside())
                .withMessageContaining("retries-exhausted, java.lang.IllegalStateException");
    }

    /** Takes its id from the payload. */
    @BunnySaga
    static class Parcels {

        record Sent(String parcel) {}

        record Seen(Instant at) {}

        private final Clock clock;

        Parcels(Clock clock) {
            this.clock = clock;
        }

        @Starts
        @CorrelatedBy("parcel")
        @BunnyHandler(from = "carrier")
        Seen on(Sent sent, SagaContext saga) {
            return new Seen(clock.instant());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.complete();
        }
    }

    private static SagaScenario parcels() {
        return SagaScenario.of((bunny, clock) -> new Parcels(clock));
    }

    @Test
    void theIdIsReadFromTheBody() {
        SagaScenario scenario = parcels().whenDelivered("carrier", "Sent", "{\"parcel\":\"p-1\"}");

        assertThat(scenario.view().id()).isEqualTo("p-1");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> scenario.whenDelivered("carrier", "Sent", "{\"parcel\":\"p-2\"}"))
                .withMessageContaining("goes to saga 'p-2'");
        assertThat(parcels().whenDelivered("carrier", "Sent", "no JSON"))
                .setAside(Parcels.Sent.class, "malformed-body")
                .notStarted();
    }

    @Test
    void aStoredSagaHasTheIdOfTheScenario() {
        SagaScenario scenario = SagaScenario.of(new OrderSaga()).stored(order(""));

        assertThat(scenario.view().id()).isEqualTo("scenario");
        assertThat(scenario.when("warehouse", new StockReserved("7"))).published(Capture.class);
    }

    @Test
    void saysWhatCannotBeStoredOrDelivered() {
        SagaScenario begun = stored("").advance(Duration.ZERO);

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> begun.stored(order("")))
                .withMessageContaining("before its first step");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> SagaScenario.of(new OrderSaga()).stored("no saga"))
                .withMessageContaining("not a stored saga");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> begun.whenDelivered("storefront", "Refund", "{}"))
                .withMessageContaining("OrderSaga takes no Refund");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> begun.whenDelivered("billing", "StockReserved", "{}"))
                .withMessageContaining("and not from 'billing'");
    }
}
