// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Node {@code billing}, which takes part in sagas of node {@code orders}: an {@code OrderPlaced} is a step, a {@code PaymentCaptured} its undo. */
final class Participant {

    static final Duration RETENTION = Duration.ofDays(7);
    static final Duration LEASE = Duration.ofSeconds(30);
    static final String UNDO_ID = "an-undo";
    static final Wires STEP = Wires.orderPlaced();
    static final Wires UNDO = Wires.orderPlaced()
            .with("message_id", UNDO_ID)
            .with("type", "PaymentCaptured")
            .withBody("{\"orderId\":\"o-1\"}")
            .withHeader("sb-undoes", Wires.ID);

    final RecordingTransport transport = new RecordingTransport();
    /** What handlers did, in order. */
    final List<String> effects = new ArrayList<>();

    HandlerInvoker step = (payload, context) -> effects.add("step");
    HandlerInvoker undo = (payload, context) -> effects.add("undo");

    private final SafeBunnyEngine engine;

    Participant(VirtualTimeline timeline, @Nullable MessageStore store, RecoveryPolicy policy) {
        this(timeline, store, policy, parts -> {});
    }

    Participant(
            VirtualTimeline timeline,
            @Nullable MessageStore store,
            RecoveryPolicy policy,
            Consumer<SafeBunnyParts.Builder> others) {
        SafeBunnyParts.Builder parts = SafeBunnyParts.builder(
                        SafeBunnyOptions.of("billing").withRetention(RETENTION).withLease(LEASE), transport, timeline)
                .store(store)
                .breakers(new CircuitBreakers(
                        new BreakerSettings(0, 100, 100, Duration.ofSeconds(30), 3), timeline, Runnable::run))
                .callbacks(Runnable::run);
        others.accept(parts);
        engine = new SafeBunnyEngine(parts.build());
        engine.start(List.of(
                handler("OrderPlaced", OrderPlaced.class, policy, (payload, context) -> step.invoke(payload, context)),
                handler(
                        "PaymentCaptured",
                        PaymentCaptured.class,
                        policy,
                        (payload, context) -> undo.invoke(payload, context))));
    }

    private static HandlerDefinition handler(
            String type, Class<?> payload, RecoveryPolicy policy, HandlerInvoker invoker) {
        return new HandlerDefinition("test.on(" + type + ")", type, payload, List.of("orders"), 10, policy, invoker);
    }

    void stop() {
        engine.stop(Duration.ofSeconds(1));
    }

    static RecordedDelivery deliveryOf(WireMessage message) {
        return new RecordedDelivery("billing-" + message.type(), message);
    }

    RecordedDelivery deliver(Wires message) {
        return deliver(deliveryOf(message.wire()));
    }

    RecordedDelivery deliver(OutboundMessage copy) {
        return deliver(deliveryOf(copy.message()));
    }

    RecordedDelivery deliver(RecordedDelivery delivery) {
        transport.deliver(delivery);
        return delivery;
    }

    /** As they were sent. */
    List<OutboundMessage> acknowledgements() {
        return transport.published().stream()
                .filter(Participant::isAcknowledgement)
                .toList();
    }

    static boolean isAcknowledgement(OutboundMessage message) {
        return message.route() instanceof Route.ToSubscribers route
                && route.routingKey().equals("billing-BunnyUndone");
    }
}
