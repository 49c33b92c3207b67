// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.handler.HandlerInvoker;
import io.safebunny.saga.SagaFailed;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.Captured;
import io.safebunny.saga.execution.OrderSaga.Declined;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.Refund;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.saga.execution.OrderSaga.StockReserved;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a person asks of a saga that has ended. */
class SagaEndedRepairsTest {

    private static final String ID = "order-1";

    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();
    private HandlerInvoker billing = (payload, context) -> {};

    @BeforeEach
    void start() {
        world.start("storefront", List.of());
        world.start("orders", List.of(), orders);
        world.start(
                "warehouse",
                List.of(
                        SagaWorld.handler("orders", ReserveStock.class, (payload, context) -> {
                            world.effects.add("reserve");
                            var unused = world.bunny("warehouse").publish(new StockReserved("1"));
                        }),
                        SagaWorld.handler(
                                "orders", ReleaseStock.class, (payload, context) -> world.effects.add("release"))));
        world.start(
                "billing",
                List.of(
                        SagaWorld.handler(
                                "orders", Capture.class, (payload, context) -> billing.invoke(payload, context)),
                        SagaWorld.handler("orders", Refund.class, (payload, context) -> world.effects.add("refund"))));
        world.start(
                "notifications",
                List.of(SagaWorld.handler(
                        "orders", SagaFailed.class, (payload, context) -> world.effects.add("failed"))));
    }

    private SagaView saga() {
        return world.saga("orders", ID);
    }

    private void end(SagaStatus how) {
        Object answer = how == SagaStatus.COMPLETED ? new Captured("1") : new Declined("1");
        billing = (payload, context) -> {
            var unused = world.bunny("billing").publish(answer);
        };
        world.publish("storefront", new PlaceOrder("1", 100), ID);
        assertThat(saga().status()).isEqualTo(how);
    }

    @ParameterizedTest
    @EnumSource(
            value = SagaStatus.class,
            names = {"COMPLETED", "FAILED"})
    void allButAPatchAreRefusedAndChangeNothingButTheHistory(SagaStatus how) {
        end(how);
        List<String> effects = List.copyOf(world.effects);
        SagaView before = saga();
        world.pass(Duration.ofMinutes(1));
        Sagas sagas = world.sagas("orders");

        sagas.retry("OrderSaga", ID, "r1");
        sagas.skip("OrderSaga", ID, "stock", "r2");
        sagas.fail("OrderSaga", ID, "r3");
        sagas.resume("OrderSaga", ID, "r4");
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().changedAt()).isEqualTo(before.changedAt());
        assertThat(saga().history())
                .extracting(SagaView.Event::what)
                .endsWith(
                        "refused RETRY (r1): it is " + how,
                        "refused SKIP (r2): it is " + how,
                        "refused FAIL (r3): it is " + how,
                        "refused RESUME (r4): it is " + how);
        assertThat(saga().status()).isEqualTo(how);
        assertThat(saga().steps()).isEqualTo(before.steps());
        assertThat(saga().state()).isEqualTo(before.state());
        assertThat(saga().reason()).isEqualTo(before.reason());
        assertThat(world.effects).isEqualTo(effects);
        assertThat(world.poison("orders")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = SagaStatus.class,
            names = {"COMPLETED", "FAILED"})
    void aPatchCorrectsItsStateAndItStaysEnded(SagaStatus how) {
        end(how);
        List<String> effects = List.copyOf(world.effects);

        world.sagas("orders")
                .patch("OrderSaga", ID, saga().version(), "{\"order\":\"1\",\"cents\":7}", "for the books");
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().state()).isEqualTo("{\"order\":\"1\",\"cents\":7}");
        assertThat(saga().status()).isEqualTo(how);
        assertThat(world.effects).isEqualTo(effects);
    }
}
