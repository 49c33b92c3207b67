// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
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
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a saga is known that has ended, and what becomes of its messages afterwards. */
class SagaRetentionTest {

    private static final String ID = "order-1";

    private static final Duration OF_SAGAS = Duration.ofHours(2);
    private static final Duration OF_RECORDS = Duration.ofHours(3);
    /** Until somebody looks. */
    private static final Duration LOOKED_AFTER = SagaWorld.LEASE.multipliedBy(2);

    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();
    private boolean answers = true;

    @BeforeEach
    void start() {
        world.sagaRetention = OF_SAGAS;
        world.start("storefront", List.of());
        world.start("orders", new MemoryMessageStore(world.timeline, OF_RECORDS), List.of(), orders);
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
                        SagaWorld.handler("orders", Capture.class, (payload, context) -> {
                            if (answers) {
                                var unused = world.bunny("billing").publish(new Captured("1"));
                            }
                        }),
                        SagaWorld.handler("orders", Refund.class, (payload, context) -> world.effects.add("refund"))));
    }

    private void place() {
        world.publish("storefront", new PlaceOrder("1", 100), ID);
    }

    private Optional<SagaView> saga() {
        return world.sagas("orders").find("OrderSaga", ID);
    }

    private List<SagaView> listed() {
        return world.sagas("orders").list("OrderSaga", SagaStatus.COMPLETED, Duration.ZERO, 10);
    }

    private double late() {
        return world.counted("safebunny.saga.ignored", "reason", "late");
    }

    @Test
    void isListedForItsRetentionAndFoundAsLongAsARecord() {
        place();
        world.pass(OF_SAGAS.minus(LOOKED_AFTER));
        assertThat(listed()).hasSize(1);

        world.pass(LOOKED_AFTER.multipliedBy(2));
        assertThat(listed()).isEmpty();
        assertThat(saga()).isPresent();

        world.pass(OF_RECORDS.minus(LOOKED_AFTER.multipliedBy(2)));
        assertThat(saga()).isPresent();
        world.pass(LOOKED_AFTER.multipliedBy(2));
        assertThat(saga()).isEmpty();
    }

    /** Also when it is not listed any more. */
    @Test
    void untilItIsForgottenNothingBeginsItAnew() {
        place();
        for (Duration later : List.of(OF_SAGAS.minus(LOOKED_AFTER), OF_RECORDS)) {
            double before = late();
            world.pass(later);
            place();
            world.publish("billing", new Declined("1"), ID);

            assertThat(late()).isEqualTo(before + 2);
            assertThat(saga()).get().extracting(SagaView::status).isEqualTo(SagaStatus.COMPLETED);
        }
        assertThat(world.effects).containsExactly("reserve");
        assertThat(world.poison("orders")).isEmpty();
    }

    @Test
    void afterwardsALateMessageIsOfAnUnknownSaga() {
        place();
        world.pass(OF_SAGAS.plus(OF_RECORDS).plus(LOOKED_AFTER));

        world.publish("billing", new Declined("1"), ID);
        world.pass(Duration.ofMinutes(1));

        assertThat(world.poison("orders")).singleElement().satisfies(copy -> assertThat(copy.headers())
                .containsEntry("sb-poison-reason", "unknown-saga"));
        assertThat(late()).isZero();
        assertThat(saga()).isEmpty();
    }

    @Test
    void afterwardsANewStartBeginsAnother() {
        place();
        world.pass(OF_SAGAS.plus(OF_RECORDS).plus(LOOKED_AFTER));

        place();

        assertThat(world.effects).containsExactly("reserve", "reserve");
        assertThat(saga()).get().extracting(SagaView::status).isEqualTo(SagaStatus.COMPLETED);
    }

    /** A repair that is refused, and a patch, write it once more. */
    @Test
    void aRepairDoesNotKeepItLonger() {
        place();
        world.pass(OF_SAGAS.minus(LOOKED_AFTER));
        world.sagas("orders").retry("OrderSaga", ID, "perhaps");
        world.settle();
        world.pass(LOOKED_AFTER.multipliedBy(2));
        assertThat(listed()).isEmpty();

        SagaView seen = saga().orElseThrow();
        world.sagas("orders").patch("OrderSaga", ID, seen.version(), "{\"order\":\"1\",\"cents\":7}", "corrected");
        world.settle();
        assertThat(saga().orElseThrow().state()).contains("7");
        world.pass(LOOKED_AFTER);

        assertThat(listed()).isEmpty();
        world.pass(OF_RECORDS);
        assertThat(saga()).isEmpty();
    }

    @Test
    void oneThatHasNotEndedIsKeptHoweverLongItTakes() {
        answers = false;
        orders.failing = true;
        place();
        world.pass(Duration.ofMinutes(1));
        assertThat(saga()).get().extracting(SagaView::status).isEqualTo(SagaStatus.STUCK);

        world.pass(OF_SAGAS.plus(OF_RECORDS).multipliedBy(2));

        assertThat(saga()).get().extracting(SagaView::status).isEqualTo(SagaStatus.STUCK);
        orders.failing = false;
        world.sagas("orders").fail("OrderSaga", ID, "given up");
        world.pass(LOOKED_AFTER);
        assertThat(saga()).get().extracting(SagaView::status).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("reserve", "release");
        world.pass(OF_SAGAS.plus(OF_RECORDS).plus(LOOKED_AFTER));
        assertThat(saga()).isEmpty();
    }
}
