// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.Refund;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** News of messages that were set aside while their saga could not be found. */
class SagaNewsTest {

    private static final String ID = "order-1";
    /** Ever more rarely, for a quarter of an hour. */
    private static final int LOOKED_FOR_AGAIN = 6;

    private static final Duration FIRST = Duration.ofSeconds(31);
    private static final Duration SECOND = Duration.ofMinutes(10);

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
    private final OrderSaga orders = new OrderSaga();
    private boolean hidden;
    private int news;

    @BeforeEach
    void start() {
        world.arrivals = message -> {
            news += "BunnyPoisoned".equals(message.message().type()) ? 1 : 0;
            return 1;
        };
        world.start("storefront", List.of());
        world.start("orders", new LateStore(), List.of(), orders);
        world.start(
                "warehouse",
                List.of(
                        SagaWorld.handler("orders", ReserveStock.class, (payload, context) -> {
                            hidden = true;
                            throw new PoisonMessageException("no stock");
                        }),
                        SagaWorld.handler("orders", ReleaseStock.class, (payload, context) -> {})));
        world.start(
                "billing",
                List.of(
                        SagaWorld.handler("orders", Capture.class, (payload, context) -> {}),
                        SagaWorld.handler("orders", Refund.class, (payload, context) -> {})));
        world.publish("storefront", new PlaceOrder("1", 100), ID);
    }

    private void assertTold() {
        assertThat(world.saga("orders", ID).blockedOn())
                .singleElement()
                .satisfies(blocked -> assertThat(blocked.reason()).isEqualTo("handler-failed"));
        assertThat(orders.poisoned).hasSize(1);
        assertThat(world.poison("orders")).isEmpty();
    }

    @Test
    void reachItSoonAfterwards() {
        hidden = false;
        world.pass(FIRST);

        assertTold();
    }

    @Test
    void reachItLaterIfItStaysHidden() {
        world.pass(FIRST);
        hidden = false;
        assertThat(world.saga("orders", ID).blockedOn()).isEmpty();
        world.pass(SECOND);

        assertTold();
    }

    @Test
    void areDroppedIfThereIsNone() {
        world.pass(Duration.ofHours(1));
        hidden = false;

        assertThat(news).isEqualTo(1 + LOOKED_FOR_AGAIN);
        assertThat(world.poison("orders")).isEmpty();
        assertThat(world.saga("orders", ID).blockedOn()).isEmpty();
    }
}
