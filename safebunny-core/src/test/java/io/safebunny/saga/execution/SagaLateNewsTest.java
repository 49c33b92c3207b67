// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.Refund;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.saga.execution.OrderSaga.StockReserved;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** News of a message that was set aside comes late: the message has been replayed and handled since. */
class SagaLateNewsTest {

    private static final String ID = "order-1";

    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();
    private final List<WireMessage> news = new ArrayList<>();
    private final List<WireMessage> held = new ArrayList<>();
    private boolean reserveFails;

    @BeforeEach
    void start() {
        world.start("storefront", List.of());
        world.start("orders", List.of(), orders);
        world.start(
                "warehouse",
                List.of(
                        SagaWorld.handler("orders", ReserveStock.class, (payload, context) -> {
                            if (reserveFails) {
                                throw new PoisonMessageException("as the test wants");
                            }
                            var unused = world.bunny("warehouse").publish(new StockReserved("1"));
                        }),
                        SagaWorld.handler(
                                "orders", ReleaseStock.class, (payload, context) -> world.effects.add("release"))));
        world.start(
                "billing",
                List.of(
                        SagaWorld.handler("orders", Capture.class, (payload, context) -> {}),
                        SagaWorld.handler("orders", Refund.class, (payload, context) -> world.effects.add("refund"))));
    }

    private void place() {
        world.publish("storefront", new PlaceOrder("1", 100), ID);
    }

    private SagaView saga() {
        return world.sagas("orders").find("OrderSaga", ID).orElseThrow();
    }

    /** Messages of that kind are held, and so is all news. */
    private void hold(Predicate<OutboundMessage> which) {
        world.arrivals = message -> {
            if ("BunnyPoisoned".equals(message.message().type())) {
                news.add(message.message());
                return 0;
            }
            boolean isCopyOrNotice = !(message.route() instanceof Route.ToSubscribers)
                    || message.message().body().length == 0;
            if (!isCopyOrNotice && which.test(message)) {
                held.add(message.message());
                return 0;
            }
            return 1;
        };
    }

    private void newsComes() {
        world.arrivals = message -> 1;
        assertThat(news).hasSize(1);
        world.replay(news.get(0), "orders-BunnyPoisoned");
    }

    @Test
    void aMessageThatCouldNotBeReadAndWasHandledSinceDoesNotStopIt() {
        hold(message -> "StockReserved".equals(message.message().type()));
        place();
        WireMessage reserved = held.get(0);
        world.replay(SagaWorld.withBody(reserved, "{"), "orders-StockReserved");
        assertThat(world.poison("orders")).hasSize(1);
        world.replay(reserved, "orders-StockReserved");

        newsComes();

        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().steps()).hasSize(2);
        assertThat(world.poison("orders")).hasSize(1);
    }

    @Test
    void aMessageThatCouldNotBeReadAndIsStillSetAsideStopsIt() {
        hold(message -> "StockReserved".equals(message.message().type()));
        place();
        world.replay(SagaWorld.withBody(held.get(0), "{"), "orders-StockReserved");

        newsComes();

        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        world.replay(held.get(0), "orders-StockReserved");
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().steps()).hasSize(2);
    }

    @Test
    void aCommandThatWasAnsweredSinceDoesNotBlockIt() {
        hold(message -> false);
        reserveFails = true;
        place();
        reserveFails = false;
        world.timeline.advance(Duration.ofMillis(1));
        world.replay(world.poison("warehouse").get(0), "warehouse-ReserveStock");
        assertThat(saga().steps()).hasSize(2);

        newsComes();

        assertThat(saga().blockedOn()).isEmpty();
        assertThat(orders.poisoned).isEmpty();
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
    }

    @Test
    void anAcknowledgementThatWasTakenSinceDoesNotStopTheUndoing() {
        place();
        hold(message -> "BunnyUndone".equals(message.message().type()));
        world.sagas("orders").fail("OrderSaga", ID, "given up");
        world.settle();
        WireMessage first = held.get(0);
        world.replay(SagaWorld.withBody(first, "{"), "orders-BunnyUndone");
        world.replay(first, "orders-BunnyUndone");
        assertThat(world.effects).containsExactly("refund", "release");
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATING);

        newsComes();

        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(saga().blockedOn()).isEmpty();
        world.replay(held.get(1), "orders-BunnyUndone");
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
    }
}
