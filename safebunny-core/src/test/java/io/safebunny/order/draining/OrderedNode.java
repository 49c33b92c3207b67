// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyOperations;
import io.safebunny.MessageContext;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.Ordering;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** An instance of node {@code billing}, whose handler takes {@code OrderPlaced} in order. Others may share its store and its time. */
final class OrderedNode {

    static final Duration RETENTION = Duration.ofDays(7);
    static final Duration RETRY = Duration.ofSeconds(10);
    static final String KEY = "order-7";
    static final String QUEUE = "billing-OrderPlaced.in";
    static final RecordKey LANE = LaneDocument.key(KEY, "OrderPlaced");

    final RecordingTransport transport = new RecordingTransport();
    /** Ids of messages, in the order in which they were handled; shared by instances. */
    final List<String> effects;

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    HandlerInvoker handler = (payload, context) -> {};

    private final MessageStore store;
    final SafeBunnyEngine engine;

    OrderedNode(MessageStore store, VirtualTimeline timeline, Ordering ordering) {
        this(store, timeline, ordering, new ArrayList<>());
    }

    OrderedNode(MessageStore store, VirtualTimeline timeline, Ordering ordering, List<String> effects) {
        this(store, timeline, ordering, effects, OrderPlaced.class, 10);
    }

    /** @param payload what the handler takes */
    OrderedNode(
            MessageStore store,
            VirtualTimeline timeline,
            Ordering ordering,
            List<String> effects,
            Class<?> payload,
            int prefetch) {
        this.store = store;
        this.effects = effects;
        engine = new SafeBunnyEngine(
                SafeBunnyParts.builder(SafeBunnyOptions.of("billing").withRetention(RETENTION), transport, timeline)
                        .store(store)
                        .meterRegistry(meters)
                        .callbacks(Runnable::run)
                        .build());
        engine.start(List.of(new HandlerDefinition(
                        "invoicing.on(OrderPlaced)",
                        "OrderPlaced",
                        payload,
                        List.of("orders"),
                        prefetch,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(2, RETRY)),
                        this::handle)
                .ordered(ordering)));
    }

    private void handle(Object payload, MessageContext context) throws Exception {
        handler.invoke(payload, context);
        effects.add(context.messageId());
    }

    /** The next runs of this message fail, and no other ones. */
    OrderedNode failing(String id, int times) {
        int[] left = {times};
        handler = (payload, context) -> {
            if (context.messageId().equals(id) && left[0]-- > 0) {
                throw new IllegalStateException("no stock");
            }
        };
        return this;
    }

    void pause() {
        var unused = engine.get(BunnyOperations.class)
                .pause("OrderPlaced", Duration.ofHours(1), BunnyOperations.Scope.INSTANCE, "a test", "a test");
    }

    void resume() {
        var unused = engine.get(BunnyOperations.class)
                .resume("OrderPlaced", BunnyOperations.Scope.INSTANCE, "a test", "a test");
    }

    void stop() {
        stop(Duration.ofSeconds(1));
    }

    /** At once, even in the middle of a message. */
    void die() {
        stop(Duration.ZERO);
    }

    void stop(Duration grace) {
        engine.stop(grace);
    }

    static Wires message(String id) {
        return Wires.orderPlaced().with("message_id", id).withHeader("sb-order-key", KEY);
    }

    RecordedDelivery deliver(String id) {
        return deliver(message(id));
    }

    RecordedDelivery deliver(Wires message) {
        RecordedDelivery delivery = new RecordedDelivery(QUEUE, message.wire());
        transport.deliver(delivery);
        return delivery;
    }

    /** As when it is moved back from the poison queue. */
    RecordedDelivery replay(OutboundMessage poisoned) {
        RecordedDelivery delivery = new RecordedDelivery(QUEUE, poisoned.message());
        transport.deliver(delivery);
        return delivery;
    }

    /** @param version of its record, which the operator's replay adds to a copy that has none */
    RecordedDelivery replay(OutboundMessage poisoned, long version) {
        Map<String, Object> headers = new LinkedHashMap<>(poisoned.message().headers());
        headers.put("sb-poison-version", version);
        RecordedDelivery delivery =
                new RecordedDelivery(QUEUE, poisoned.message().withHeaders(headers));
        transport.deliver(delivery);
        return delivery;
    }

    Lane lane() {
        return LaneDocument.read(store.find(LANE));
    }

    RecordState state(String id) {
        return stored(id).state();
    }

    MessageRecord stored(String id) {
        return Objects.requireNonNull(store.find(new RecordKey(KEY, id)));
    }
}
