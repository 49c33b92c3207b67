// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.saga.SagaFailed;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.Captured;
import io.safebunny.saga.execution.OrderSaga.Declined;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.Refund;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.saga.execution.OrderSaga.StockReserved;
import io.safebunny.saga.management.SagaSupervision;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A saga with two participants, from its first message to its end. */
class SagaTest {

    private static final String ID = "order-1";

    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();
    private HandlerInvoker billing = (payload, context) -> answer("billing", new Captured("1"));
    private HandlerInvoker warehouse = (payload, context) -> answer("warehouse", new StockReserved("1"));
    private HandlerInvoker undoing = (payload, context) -> {};

    @BeforeEach
    void start() {
        world.start("storefront", List.of());
        world.start("orders", List.of(), this.orders);
        world.start(
                "warehouse",
                List.of(
                        SagaWorld.handler("orders", ReserveStock.class, (payload, context) -> {
                            world.effects.add("reserve");
                            this.warehouse.invoke(payload, context);
                        }),
                        SagaWorld.handler("orders", ReleaseStock.class, (payload, context) -> {
                            world.effects.add("release");
                            undoing.invoke(payload, context);
                        })));
        world.start(
                "billing",
                List.of(
                        SagaWorld.handler("orders", Capture.class, (payload, context) -> {
                            world.effects.add("capture");
                            this.billing.invoke(payload, context);
                        }),
                        SagaWorld.handler("orders", Refund.class, (payload, context) -> world.effects.add("refund"))));
        world.start(
                "notifications",
                List.of(SagaWorld.handler(
                        "orders",
                        SagaFailed.class,
                        (payload, context) -> world.effects.add("failed: " + ((SagaFailed) payload).reason()))));
    }

    private void answer(String node, Object message) {
        var unused = world.bunny(node).publish(message);
    }

    private void place() {
        world.publish("storefront", new PlaceOrder("1", 100), ID);
    }

    private SagaView saga() {
        return world.saga("orders", ID);
    }

    @Test
    void completes() {
        place();

        assertThat(world.effects).containsExactly("reserve", "capture");
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga().timeouts()).isEmpty();
        assertThat(saga().state()).isEqualTo("{\"order\":\"1\",\"cents\":100}");
        world.pass(Duration.ofHours(1));
        assertThat(world.effects).containsExactly("reserve", "capture");
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void undoesWhatWasNotRefusedAndTellsOnceThatItFailed() {
        billing = (payload, context) -> answer("billing", new Declined("1"));
        place();

        assertThat(world.effects).containsExactly("reserve", "capture", "release", "failed: declined");
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga().steps()).extracting(SagaView.Step::status).containsExactly(StepStatus.UNDONE);
    }

    @Test
    void undoesInReverseWhenTheReplyIsLate() {
        billing = (payload, context) -> {};
        place();
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        world.pass(OrderSaga.PAYMENT.minusSeconds(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);

        world.pass(Duration.ofSeconds(2));

        assertThat(world.effects).containsExactly("reserve", "capture", "refund", "release", "failed: too late");
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void ignoresWhatComesLate() {
        place();
        world.publish("billing", new Declined("1"), ID);

        assertThat(saga().status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(world.effects).containsExactly("reserve", "capture");
        assertThat(world.counted("safebunny.saga.ignored", "reason", "late")).isEqualTo(1);
    }

    @Test
    void isStartedOnce() {
        billing = (payload, context) -> {};
        place();
        place();

        assertThat(world.effects).containsExactly("reserve", "capture");
        assertThat(world.counted("safebunny.saga.ignored", "reason", "started")).isEqualTo(1);
    }

    @Test
    void aMessageToAnUnknownSagaIsRetriedAndThenSetAside() {
        world.publish("billing", new Captured("1"), "nobody");
        assertThat(world.poison("orders")).isEmpty();

        world.pass(Duration.ofMinutes(1));

        assertThat(world.poison("orders")).singleElement().satisfies(copy -> assertThat(copy.headers())
                .containsEntry("sb-poison-reason", "unknown-saga"));
    }

    @Test
    void aMessageThatComesBeforeTheStartWaitsForIt() {
        world.publish("billing", new Captured("1"), ID);
        place();
        world.pass(Duration.ofMinutes(1));

        assertThat(world.poison("orders")).isEmpty();
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void isStuckWhenAMessageOfItIsSetAsideAndTakesNoOther() {
        orders.failing = true;
        place();
        world.pass(Duration.ofMinutes(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        assertThat(world.poison("orders")).hasSize(1);

        world.publish("billing", new Captured("1"), ID);
        world.pass(Duration.ofMinutes(1));

        assertThat(world.poison("orders").get(1).headers()).containsEntry("sb-poison-reason", "saga-stuck");
        assertThat(world.effects).containsExactly("reserve");
        world.pass(Duration.ofHours(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);

        world.sagas("orders").resume("OrderSaga", ID, "the defect is mended");
        world.pass(Duration.ofMinutes(1));
        assertThat(world.effects).containsExactly("reserve", "release", "failed: too late"); // its timeout is over
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void learnsThatAParticipantSetItsCommandAside() {
        billing = (payload, context) -> {
            throw new PoisonMessageException("no such account");
        };
        place();

        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().blockedOn()).singleElement().satisfies(blocked -> {
            assertThat(blocked.node()).isEqualTo("billing");
            assertThat(blocked.type()).isEqualTo("Capture");
        });
        assertThat(orders.poisoned).hasSize(1);

        billing = (payload, context) -> answer("billing", new Captured("1"));
        world.sagas("orders").retry("OrderSaga", ID, "the account is there");
        world.settle();

        assertThat(saga().status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga().blockedOn()).isEmpty();
        assertThat(world.effects).containsExactly("reserve", "capture", "capture");
    }

    @Test
    void tellsWhenAnUndoFails() {
        billing = (payload, context) -> answer("billing", new Declined("1"));
        undoing = (payload, context) -> {
            throw new PoisonMessageException("cannot be released");
        };
        place();
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(world.engine("orders")
                        .get(SagaSupervision.class)
                        .needingRepair()
                        .toString())
                .isEqualTo("{OrderSaga={COMPENSATION_FAILED=1}}");
        assertThat(world.effects).doesNotContain("failed: declined");

        undoing = (payload, context) -> {};
        world.sagas("orders").retry("OrderSaga", ID, "try again");
        world.settle();

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("reserve", "capture", "release", "release", "failed: declined");
    }

    @Test
    void aStepThatCannotBeUndoneIsSkippedByAPerson() {
        billing = (payload, context) -> answer("billing", new Declined("1"));
        undoing = (payload, context) -> {
            throw new PoisonMessageException("cannot be released");
        };
        place();

        world.sagas("orders").skip("OrderSaga", ID, "stock", "written off");
        world.settle();

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga().steps()).extracting(SagaView.Step::status).containsExactly(StepStatus.SKIPPED);
        assertThat(world.effects).containsExactly("reserve", "capture", "release", "failed: declined");
    }

    @Test
    void timeoutsSurviveTheLossOfTheirMessage() {
        billing = (payload, context) -> {};
        world.losesDelayed = true;
        place();
        world.losesDelayed = false;

        world.pass(OrderSaga.PAYMENT.plus(SagaWorld.LEASE.multipliedBy(2)));

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("reserve", "capture", "refund", "release", "failed: too late");
    }

    @Test
    void isPatchedUnlessItHasChanged() {
        billing = (payload, context) -> {};
        place();
        long version = saga().version();
        world.sagas("orders").patch("OrderSaga", ID, version - 1, "{\"order\":\"1\",\"cents\":1}", "too late");
        world.settle();
        assertThat(saga().state()).contains("100");

        world.sagas("orders").patch("OrderSaga", ID, saga().version(), "{\"order\":\"1\",\"cents\":1}", "now");
        world.settle();

        assertThat(saga().state()).isEqualTo("{\"order\":\"1\",\"cents\":1}");
    }
}
