// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonAlias;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.failure.MisuseException;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaFailed;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.serialization.SerializationException;
import io.safebunny.test.OrderSaga.Capture;
import io.safebunny.test.OrderSaga.Captured;
import io.safebunny.test.OrderSaga.Declined;
import io.safebunny.test.OrderSaga.PlaceOrder;
import io.safebunny.test.OrderSaga.Refund;
import io.safebunny.test.OrderSaga.ReleaseStock;
import io.safebunny.test.OrderSaga.ReserveStock;
import io.safebunny.test.OrderSaga.Shipped;
import io.safebunny.test.OrderSaga.State;
import io.safebunny.test.OrderSaga.StockReserved;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SagaScenarioTest {

    private static SagaScenario placed() {
        return SagaScenario.of(new OrderSaga()).when("storefront", new PlaceOrder("7", 1999));
    }

    private static SagaScenario reserved() {
        return placed().when("warehouse", new StockReserved("7"));
    }

    @Test
    void showsWhatTheFirstMessageDoes() {
        SagaScenario scenario = placed();

        assertThat(scenario)
                .status(SagaStatus.ACTIVE)
                .published(ReserveStock.class)
                .published(new ReserveStock("7"))
                .publishedLast(new ReserveStock("7"))
                .never(Capture.class)
                .state(new State("7", 1999))
                .steps("stock")
                .undone()
                .timeout("payment", Duration.ofMinutes(15))
                .handled(PlaceOrder.class, 1)
                .nothingSetAside();
        assertThat(scenario.state(State.class).cents()).isEqualTo(1999);
        assertThat(scenario.view().id()).isEqualTo("scenario");
    }

    record Aliased(@JsonAlias("order") String id, long cents) {}

    record Renamed(String id, long cents) {}

    record RenamedNumber(String order, long totalCents) {}

    @Test
    void tellsWhichNextVersionReadsTheState() {
        SagaScenario scenario = placed();

        assertThat(scenario.state(Aliased.class)).isEqualTo(new Aliased("7", 1999));
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> scenario.state(Renamed.class))
                .withMessageContaining("[id] would be null, and nothing reads [order]");
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> scenario.state(RenamedNumber.class))
                .withMessageContaining("missing property 'totalCents'");
    }

    @Test
    void showsOnlyTheLastStep() {
        assertThat(reserved())
                .publishedLast(new Capture("7", 1999))
                .published(new ReserveStock("7"))
                .state(new State("7", 2000))
                .steps("stock", "pay");
    }

    @Test
    void aSagaEndsWell() {
        assertThat(reserved().when("billing", new Captured("7")))
                .publishedLast()
                .status(SagaStatus.COMPLETED)
                .noTimeouts()
                .undone();
    }

    @Test
    void whatIsForgottenIsNotUndone() {
        assertThat(reserved().when("billing", new Declined("7")))
                .status(SagaStatus.FAILED)
                .reason("declined")
                .publishedLast(new ReleaseStock("7"), new SagaFailed("OrderSaga", "scenario", "declined"))
                .steps("stock")
                .undone("stock")
                .never(Refund.class);
    }

    @Test
    void timePassesAndParticipantsAcknowledgeEachUndo() {
        SagaScenario scenario = reserved().advance(Duration.ofMinutes(5));
        assertThat(scenario).publishedLast().timeout("payment", Duration.ofMinutes(10));

        scenario.advance(Duration.ofMinutes(9));
        assertThat(scenario).status(SagaStatus.ACTIVE).publishedLast();

        scenario.advance(Duration.ofMinutes(1));
        assertThat(scenario)
                .status(SagaStatus.FAILED)
                .reason("too late")
                .publishedLast(
                        new Refund("7"), new ReleaseStock("7"), new SagaFailed("OrderSaga", "scenario", "too late"))
                .undone("pay", "stock");
    }

    @Test
    void participantsSetAnUndoAside() {
        SagaScenario scenario =
                reserved().participantsSetAside(ReleaseStock.class).advance(Duration.ofMinutes(15));

        assertThat(scenario)
                .status(SagaStatus.COMPENSATION_FAILED)
                .publishedLast(new Refund("7"), new ReleaseStock("7"))
                .setAside(ReleaseStock.class, "handler-failed")
                .blockedOn(ReleaseStock.class)
                .undone("pay");
    }

    @Test
    void participantsSetACommandAside() {
        SagaScenario scenario = SagaScenario.of(new OrderSaga())
                .participantsSetAside(ReserveStock.class)
                .when("storefront", new PlaceOrder("7", 1999));

        assertThat(scenario)
                .status(SagaStatus.ACTIVE)
                .blockedOn(ReserveStock.class)
                .timeout("payment", Duration.ofHours(1)); // as the saga's @OnPoisoned says
    }

    @Test
    void aHandlerThatFailsIsRetriedAndThenSetAside() {
        assertThat(placed().when("carrier", new Shipped("7")))
                .retried(Shipped.class, 3)
                .setAside(Shipped.class, "retries-exhausted")
                .handled(Shipped.class, 0)
                .status(SagaStatus.STUCK)
                .timeout("payment", Duration.ofMinutes(15)); // however long the retries took
    }

    @Test
    void aRepeatedMessageIsHandledOnce() {
        SagaScenario scenario =
                placed().when("warehouse", new StockReserved("7")).repeat();

        assertThat(scenario)
                .publishedLast()
                .published(Capture.class)
                .state(new State("7", 2000))
                .handled(StockReserved.class, 1);
        assertThat(scenario.run().trace().toString().lines())
                .filteredOn(line -> line.contains("delivered StockReserved"))
                .hasSize(2);
    }

    @Test
    void anAnswerMayBeEarly() {
        SagaScenario scenario = SagaScenario.of(new OrderSaga()).when("warehouse", new StockReserved("7"));

        assertThat(scenario).notStarted().setAside(StockReserved.class, "unknown-saga");
    }

    // ---- sagas with needs

    /** Publishes, asks what time it is, and takes its id from the payload. */
    @BunnySaga
    static class Parcels {

        record Sent(String parcel) {}

        record Arrived(String parcel) {}

        record Told(String parcel, Instant at) {}

        record Seen(Instant at) {}

        private final Bunny bunny;
        private final Clock clock;

        Parcels(Bunny bunny, Clock clock) {
            this.bunny = bunny;
            this.clock = clock;
        }

        @Starts
        @CorrelatedBy("parcel")
        @BunnyHandler(from = "carrier")
        Seen on(Sent sent, SagaContext saga) {
            saga.timeoutAt("late", clock.instant().plus(Duration.ofDays(3)));
            bunny.publish(new Told(sent.parcel(), clock.instant()));
            return new Seen(clock.instant());
        }

        @CorrelatedBy("parcel")
        @BunnyHandler(from = {"carrier", "parcels"})
        void on(Arrived arrived, SagaContext saga) {
            saga.complete();
        }

        @BunnyHandler(from = "parcels")
        void on(Told told) {}

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.fail("lost");
        }
    }

    @Test
    void aSagaGetsABunnyAndAClockOfItsNode() {
        SagaScenario scenario = SagaScenario.of(Parcels::new).when("carrier", new Parcels.Sent("p-1"));

        Instant now = scenario.state(Parcels.Seen.class).at();
        assertThat(scenario)
                .publishedLast(new Parcels.Told("p-1", now))
                .timeout("late", Duration.ofDays(3))
                .handled(Parcels.Told.class, 0);
        assertThat(scenario.view().id()).isEqualTo("p-1");
        assertThat(scenario.advance(Duration.ofDays(3)))
                .status(SagaStatus.FAILED)
                .reason("lost");
    }

    @Test
    void aSagaHearsItsOwnNode() {
        assertThat(SagaScenario.of(Parcels::new)
                        .inNode("parcels")
                        .withId("p-1")
                        .when("carrier", new Parcels.Sent("p-1")))
                .published(Parcels.Told.class)
                .handled(Parcels.Told.class, 1);
    }

    @Test
    void itsOwnNodeSendsItAMessage() {
        assertThat(SagaScenario.of(Parcels::new)
                        .inNode("parcels")
                        .when("carrier", new Parcels.Sent("p-1"))
                        .when("parcels", new Parcels.Arrived("p-1")))
                .publishedLast()
                .status(SagaStatus.COMPLETED);
    }

    @Test
    void aSagaIsMadeWithItsBunny() {
        SagaScenario scenario = SagaScenario.of((Bunny bunny) -> new OrderSaga())
                .withId("order-7")
                .when("storefront", new PlaceOrder("7", 1));

        assertThat(scenario).publishedLast(new ReserveStock("7"));
        assertThat(scenario.view().id()).isEqualTo("order-7");
    }

    // ---- misuse

    @Test
    void saysWhichMessagesASagaTakes() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> placed().when("storefront", new Refund("7")))
                .withMessageContaining("OrderSaga takes no Refund, but [")
                .withMessageContaining("StockReserved");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> placed().when("billing", new StockReserved("7")))
                .withMessageContaining("OrderSaga takes StockReserved from [warehouse], and not from 'billing'");
    }

    @Test
    void saysThatAMessageIsForAnotherSaga() {
        SagaScenario scenario = SagaScenario.of(Parcels::new).when("carrier", new Parcels.Sent("p-1"));

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> scenario.when("carrier", new Parcels.Arrived("p-2")))
                .withMessageContaining("goes to saga 'p-2'")
                .withMessageContaining("this scenario is about saga 'p-1'");
    }

    @Test
    void saysWhatCannotBeAScenario() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> SagaScenario.of("no saga").advance(Duration.ZERO))
                .withMessageContaining("@BunnySaga");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> SagaScenario.of(new OrderSaga()).withId("two words"))
                .withMessageContaining("two words");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> placed().withId("later"))
                .withMessageContaining("before its first step");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> SagaScenario.of(new OrderSaga()).repeat())
                .withMessageContaining("before repeat()");
    }
}
