// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.MessageContext;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Node {@code billing}, which handles messages with a deadline: those that are set aside, dropped, and told to a method when it has passed. */
final class Expiring {

    record Quote(String orderId, int total) {}

    @BunnyMessage(expired = Expired.DROP, validFor = "30s")
    record Price(String orderId, int total) {}

    record Offer(String orderId, int total) {}

    record Told(String orderId) {}

    static final String QUOTE = "Quote";
    static final String PRICE = "Price";
    static final String OFFER = "Offer";
    static final Instant DEADLINE = VirtualTimeline.START.plusSeconds(30);
    static final Duration UNTIL_DEADLINE = Duration.ofSeconds(30);

    final RecordingTransport transport = new RecordingTransport();
    final VirtualTimeline timeline = VirtualTimeline.skipping();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final CircuitBreakers breakers = new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run);
    final List<SafeBunnyEvent> events = new ArrayList<>();
    /** What ran, in order. */
    final List<String> runs = new ArrayList<>();

    /** What the middleware of the before group has seen. */
    final List<String> around = new ArrayList<>();

    HandlerInvoker handler = (payload, context) -> {};
    HandlerInvoker onExpired = (payload, context) -> {};

    private final @Nullable MessageStore store;
    private final SafeBunnyEngine engine;

    Expiring(@Nullable MessageStore store, RecoveryPolicy policy) {
        this(store, policy, Grouping.NONE);
    }

    Expiring(@Nullable MessageStore store, RecoveryPolicy policy, Grouping grouping) {
        this.store = store;
        engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("billing").withRetention(Node.RETENTION), transport, timeline)
                .store(store)
                .breakers(breakers)
                .callbacks(Runnable::run)
                .meterRegistry(meters)
                .consumeMiddlewares(List.of((message, next) -> {
                    around.add(message.type());
                    next.run();
                }))
                .listeners(List.of(events::add))
                .build());
        engine.start(List.of(
                definition(Quote.class, policy, grouping),
                definition(Price.class, policy, grouping),
                definition(Offer.class, policy, grouping).withOnExpired((payload, context) -> {
                    runs.add("expired");
                    onExpired.invoke(payload, context);
                })));
    }

    private HandlerDefinition definition(Class<?> type, RecoveryPolicy policy, Grouping grouping) {
        HandlerInvoker each = (payload, context) -> {
            runs.add("handled");
            handler.invoke(payload, context);
        };
        HandlerInvoker invoker = !grouping.isBatch()
                ? each
                : new HandlerInvoker() {
                    @Override
                    public void invoke(Object payload, MessageContext context) throws Exception {
                        each.invoke(payload, context);
                    }

                    @Override
                    public void invokeBatch(List<Object> payloads, List<? extends MessageContext> contexts)
                            throws Exception {
                        runs.add("batch of " + payloads.size());
                        handler.invoke(payloads.get(0), contexts.get(0));
                    }
                };
        return new HandlerDefinition(
                "shop.on(" + type.getSimpleName() + ")",
                type.getSimpleName(),
                type,
                List.of("orders"),
                20,
                grouping,
                policy,
                invoker);
    }

    io.safebunny.Bunny bunny() {
        return engine.bunny();
    }

    static Wires message(String type) {
        return Wires.orderPlaced().with("type", type).withHeader("sb-deadline", DEADLINE.toEpochMilli());
    }

    static RecordedDelivery delivery(WireMessage message) {
        return new RecordedDelivery("billing-" + message.type(), message);
    }

    RecordedDelivery deliver(String type) {
        return deliver(message(type).wire());
    }

    RecordedDelivery deliver(WireMessage message) {
        RecordedDelivery delivery = delivery(message);
        transport.deliver(delivery);
        return delivery;
    }

    /** What came back last, once its delay is over. */
    RecordedDelivery deliverReturned() {
        List<OutboundMessage> returned = transport.returned();
        OutboundMessage latest = returned.get(returned.size() - 1);
        timeline.advance(latest.delay());
        return deliver(latest.message());
    }

    void passDeadline() {
        timeline.advance(UNTIL_DEADLINE);
    }

    MessageRecord stored() {
        return Objects.requireNonNull(
                Objects.requireNonNull(store).find(new RecordKey(Wires.CORRELATION_ID, Wires.ID)));
    }

    double expired(String type, String outcome) {
        return meters.counter("safebunny.expired", "type", type, "outcome", outcome)
                .count();
    }
}
