// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.Bunny;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.WatchedTimeline;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handling.MessageScope;
import io.safebunny.identity.IdScheme;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.ContextPropagator;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.queue.HeldDeliveries;
import io.safebunny.store.MessageStore;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Node {@code billing}, which handles {@code OrderPlaced} and {@code PaymentCaptured}, on a transport that records. */
final class Node {

    static final String QUEUE = "billing-OrderPlaced";
    static final Duration RETENTION = Duration.ofDays(7);
    /** 2 retries in memory, 1 delayed: 6 attempts. */
    static final RecoveryPolicy SIX_ATTEMPTS =
            RecoveryPolicy.of(RetryStrategy.of(2, Duration.ofMillis(100)), RetryStrategy.after(Duration.ofSeconds(10)));

    static final RecoveryPolicy ONE_ATTEMPT = RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none());

    final RecordingTransport transport = new RecordingTransport();
    final VirtualTimeline timeline = VirtualTimeline.skipping();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final MessageScope scope = new MessageScope();
    final CircuitBreakers breakers = new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run);
    /** How often the handler of OrderPlaced was called. */
    final AtomicInteger runs = new AtomicInteger();
    /** What listeners were told. */
    final List<SafeBunnyEvent> events = new ArrayList<>();
    /** What contexts tell when they are closed. */
    final List<String> closed = new ArrayList<>();
    /** Told first. */
    SafeBunnyEvent.Listener listener = event -> {};
    /** What it does. */
    HandlerInvoker handler = (payload, context) -> {};
    /** The inner one of two; the outer one does nothing. */
    ContextPropagator propagator = message -> () -> {};

    private final WatchedTimeline watched = new WatchedTimeline(timeline);
    private final SafeBunnyEngine engine;

    Node(RecoveryPolicy policy, ConsumeMiddleware... middlewares) {
        this(true, policy, middlewares);
    }

    Node(boolean remembers, RecoveryPolicy policy, ConsumeMiddleware... middlewares) {
        this(remembers ? new MemoryMessageStore(VirtualTimeline.skipping(), RETENTION) : null, policy, middlewares);
    }

    Node(@Nullable MessageStore store, RecoveryPolicy policy, ConsumeMiddleware... middlewares) {
        this(store, policy, ObservationRegistry.NOOP, middlewares);
    }

    Node(ExceptionDetails details, RecoveryPolicy policy, ConsumeMiddleware... middlewares) {
        this(null, policy, new LineageIdScheme(), ObservationRegistry.NOOP, details, middlewares);
    }

    Node(MessageStore store, ExceptionDetails details, RecoveryPolicy policy) {
        this(store, policy, new LineageIdScheme(), ObservationRegistry.NOOP, details);
    }

    Node(
            @Nullable MessageStore store,
            RecoveryPolicy policy,
            ObservationRegistry observations,
            ConsumeMiddleware... middlewares) {
        this(store, policy, new LineageIdScheme(), observations, ExceptionDetails.FULL, middlewares);
    }

    Node(IdScheme ids) {
        this(
                new MemoryMessageStore(VirtualTimeline.skipping(), RETENTION),
                ONE_ATTEMPT,
                ids,
                ObservationRegistry.NOOP,
                ExceptionDetails.FULL);
    }

    private Node(
            @Nullable MessageStore store,
            RecoveryPolicy policy,
            IdScheme ids,
            ObservationRegistry observations,
            ExceptionDetails details,
            ConsumeMiddleware... middlewares) {
        engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("billing")
                                .withMaxMessageSize(1_000)
                                .withRetention(RETENTION)
                                .withExceptionDetails(details),
                        transport,
                        watched)
                .store(store)
                .idScheme(ids)
                .consumeMiddlewares(List.of(middlewares))
                .contextPropagators(List.of(message -> () -> closed.add("outer"), message -> propagator.open(message)))
                .scope(scope)
                .breakers(breakers)
                .callbacks(Runnable::run)
                .meterRegistry(meters)
                .observationRegistry(observations)
                .listeners(List.of(event -> listener.on(event), events::add))
                .build());
        engine.start(List.of(
                new HandlerDefinition(
                        "invoicing.on(OrderPlaced)",
                        "OrderPlaced",
                        OrderPlaced.class,
                        List.of("orders"),
                        10,
                        policy,
                        (payload, context) -> {
                            runs.incrementAndGet();
                            handler.invoke(payload, context);
                        }),
                new HandlerDefinition(
                        "invoicing.on(PaymentCaptured)",
                        "PaymentCaptured",
                        PaymentCaptured.class,
                        List.of("billing"),
                        10,
                        policy,
                        (payload, context) -> {})));
    }

    /** The handler throws this each time. */
    Node failing(Throwable failure) {
        handler = (payload, context) -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        };
        return this;
    }

    /** How long it slept, in order. */
    List<Duration> sleeps() {
        return watched.sleeps();
    }

    Map<String, HeldDeliveries.Held> held() {
        return engine.held();
    }

    TransportStatus status() {
        return engine.status();
    }

    Bunny bunny() {
        return engine.bunny();
    }

    void stop() {
        engine.stop(Duration.ofSeconds(1));
    }

    RecordedDelivery deliver() {
        return deliver(Wires.orderPlaced());
    }

    RecordedDelivery deliver(Wires message) {
        return deliver(new RecordedDelivery(QUEUE, message.wire()));
    }

    /** What comes back from the delayed exchange. */
    RecordedDelivery deliver(OutboundMessage returned) {
        return deliver(new RecordedDelivery(QUEUE, returned.message()));
    }

    RecordedDelivery deliver(RecordedDelivery delivery) {
        transport.deliver(delivery);
        return delivery;
    }

    double count(String meter, String... tags) {
        return meters.counter(meter, tags).count();
    }
}
