// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.PublishOptions;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.ShiftedTimeline;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Nodes of one broker in memory and in virtual time, all on the test's thread. */
public final class SagaWorld {

    public static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration DELAY = Duration.ofSeconds(10);
    private static final RecoveryPolicy POLICY =
            RecoveryPolicy.of(RetryStrategy.none(), new RetryStrategy(List.of(DELAY, DELAY), 0));

    public final VirtualTimeline timeline = VirtualTimeline.skipping();
    Duration lease = LEASE;
    /** Of nodes that start. */
    Duration sagaRetention = Duration.ofDays(30);

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    public final MemoryBroker broker = new MemoryBroker(timeline, this::add);
    private final Map<String, SafeBunnyEngine> engines = new LinkedHashMap<>();
    private final Map<String, CircuitBreakers> breakers = new LinkedHashMap<>();
    private final Map<String, Transport> links = new LinkedHashMap<>();
    /** What the participants did, in order. */
    final List<String> effects = new ArrayList<>();

    /** Whether delayed messages get lost after they are confirmed. */
    public boolean losesDelayed;

    /** Whether what nodes that start leave to their workers runs while somebody waits for it. */
    public boolean worksWhileWaiting;

    /** Whether what is left to workers, of whatever node, runs while somebody waits for it, and at once otherwise. */
    public boolean worksWhileAsking;

    /** Whether nodes that start keep scheduled messages. */
    public boolean schedules;

    /** Of nodes that start. */
    public UnaryOperator<Timeline> clocks = UnaryOperator.identity();

    /** Of nodes that start. */
    public List<PublishMiddleware> publishMiddlewares = List.of();

    /** Of nodes that start. */
    public List<ConsumeMiddleware> consumeMiddlewares = List.of();

    /** Of nodes that start. */
    public UnaryOperator<SafeBunnyOptions> options = UnaryOperator.identity();

    /** Of nodes that start. */
    public BreakerSettings breakerSettings = BreakerSettings.defaults();

    /** Of nodes that start. */
    public @Nullable Outbox outbox;

    /** Of nodes that start: what stands between each of them and the broker. */
    public UnaryOperator<Transport> transports = UnaryOperator.identity();

    /** How often a message that is sent arrives. */
    public ToIntFunction<OutboundMessage> arrivals =
            message -> losesDelayed && !message.delay().isZero() ? 0 : 1;

    private final class Lossy extends ForwardingTransport {
        private final boolean consumes;

        Lossy(Transport transport, boolean consumes) {
            super(transport);
            this.consumes = consumes;
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);
            for (int arrival = arrivals.applyAsInt(message); arrival > 0; arrival--) {
                sent = transport.send(message, deadline);
            }
            return sent;
        }

        @Override
        public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
            return consumes ? transport.consume(queue, prefetch, handler) : new Idle();
        }
    }

    private static final class Idle implements Consumption {
        @Override
        public void pace(Pace pace) {}

        @Override
        public CompletableFuture<Void> stop() {
            return CompletableFuture.completedFuture(null);
        }
    }

    /** What a node without sagas does with one type. */
    public static HandlerDefinition handler(String from, Class<?> payload, HandlerInvoker invoker) {
        String type = MessageTypes.nameOf(payload);
        return new HandlerDefinition("test.on(" + type + ")", type, payload, List.of(from), 10, POLICY, invoker);
    }

    public void start(String node, List<HandlerDefinition> handlers, Object... sagas) {
        start(node, new MemoryMessageStore(timeline, Duration.ofDays(7)), handlers, sagas);
    }

    public void start(String node, @Nullable MessageStore store, List<HandlerDefinition> handlers, Object... sagas) {
        engines.put(node, started(node, store, true, clocks.apply(timeline), handlers, sagas));
    }

    /** Another instance, whose clock is ahead, and which looks after sagas but gets no messages. */
    void startAhead(String node, Duration ahead, MessageStore store, Object... sagas) {
        engines.put(
                node + " ahead", started(node, store, false, new ShiftedTimeline(timeline, ahead), List.of(), sagas));
    }

    private SafeBunnyEngine started(
            String node,
            @Nullable MessageStore store,
            boolean consumes,
            Timeline clock,
            List<HandlerDefinition> handlers,
            Object... sagas) {
        CircuitBreakers own = new CircuitBreakers(breakerSettings, clock, tasks::add);
        breakers.put(node, own);
        Transport link = new MemoryTransport(broker, TopologyOptions.defaults());
        links.put(node, link);
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        options.apply(SafeBunnyOptions.of(node).withLease(lease).withSagaRetention(sagaRetention)),
                        transports.apply(new Lossy(link, consumes)),
                        clock)
                .store(store)
                .outbox(outbox)
                .breakers(own)
                .scheduling(schedules)
                .publishMiddlewares(publishMiddlewares)
                .consumeMiddlewares(consumeMiddlewares)
                .callbacks(worksWhileWaiting ? task -> timeline.schedule(Duration.ZERO, task) : this::add)
                .meterRegistry(meters)
                .build());
        engine.start(handlers, definitions(sagas));
        return engine;
    }

    static List<SagaDefinition> definitions(Object... sagas) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (Object saga : sagas) {
            beans.registerSingleton(saga.getClass().getSimpleName(), saga);
        }
        HandlerDefaults defaults =
                new HandlerDefaults(10, new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0), POLICY.delayed());
        return new SagaScanner(beans, defaults, null).sagas();
    }

    /** If it runs. */
    public void stop(String node) {
        SafeBunnyEngine engine = engines.remove(node);
        if (engine != null) {
            engine.stop(Duration.ofSeconds(1));
        }
    }

    /** Cuts it off from the broker, without a word to the others. */
    public void cutOff(String node) {
        Transport transport = links.get(node);
        if (transport == null) {
            throw new AssertionError("no node " + node);
        }
        transport.close();
    }

    public Bunny bunny(String node) {
        return engine(node).bunny();
    }

    public SafeBunnyEngine engine(String node) {
        SafeBunnyEngine engine = engines.get(node);
        if (engine == null) {
            throw new AssertionError("no node " + node);
        }
        return engine;
    }

    public BunnyCircuitBreaker breakers(String node) {
        return Objects.requireNonNull(breakers.get(node));
    }

    Sagas sagas(String node) {
        return engine(node).get(Sagas.class);
    }

    SagaView saga(String node, String id) {
        return sagas(node).find(id).get(0);
    }

    void publish(String node, Object message, String correlationId) {
        bunny(node).publish(message, PublishOptions.none().withCorrelationId(correlationId));
        settle();
    }

    private void add(Runnable task) {
        tasks.add(task);
        if (worksWhileAsking) {
            timeline.schedule(Duration.ZERO, this::settle);
        }
    }

    /** Runs everything that can run without time passing. */
    public void settle() {
        for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
            next.run();
        }
    }

    /** Lets time pass, in small steps, and everything happen that is due. */
    public void pass(Duration duration) {
        settle();
        Duration step = Duration.ofSeconds(1);
        for (Duration left = duration; left.compareTo(Duration.ZERO) > 0; left = left.minus(step)) {
            timeline.advance(left.compareTo(step) < 0 ? left : step);
            settle();
        }
    }

    /** As a person does who moves a poison copy back to its queue. */
    public void replay(WireMessage copy, String queue) {
        OutboundMessage message = new OutboundMessage(copy, new Route.ToQueue(queue), Duration.ZERO);
        var unused = new MemoryTransport(broker, TopologyOptions.defaults())
                .send(message, Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
        settle();
    }

    /** The same message, as somebody wrote it who wrote something else. */
    static WireMessage withBody(WireMessage message, String body) {
        return new WireMessage(
                message.messageId(),
                message.correlationId(),
                message.type(),
                message.appId(),
                message.timestamp(),
                message.contentType(),
                message.contentEncoding(),
                message.headers(),
                body.getBytes(StandardCharsets.UTF_8));
    }

    public List<WireMessage> poison(String node) {
        return broker.messages(node + "-poison");
    }

    public double counted(String meter, String... tags) {
        var counter = meters.find(meter).tags(tags).counter();
        return counter == null ? 0 : counter.count();
    }

    /** Whether the counter is there, be it at 0. */
    public boolean hasCounter(String meter, String... tags) {
        return meters.find(meter).tags(tags).counter() != null;
    }
}
