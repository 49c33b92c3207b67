// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.Bunny;
import io.safebunny.BunnyOperations;
import io.safebunny.ScheduledMessages;
import io.safebunny.breaker.TypeBreaker;
import io.safebunny.consuming.ConsumeOptions;
import io.safebunny.consuming.ConsumePipelineFactory;
import io.safebunny.consuming.HeldDeliveries;
import io.safebunny.dedup.DedupOptions;
import io.safebunny.dedup.Deduplication;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerSource;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.message.Names;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.operations.NodeOperations;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.publishing.PublishingOptions;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.supervision.UndoingSagas;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyPlanner;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import io.safebunny.waiting.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node: publishes and consumes from {@link #start} to {@link #stop}. Start and stop are called by one thread; the rest is
 * thread-safe.
 */
public final class SafeBunnyEngine {

    private static final Logger LOG = LoggerFactory.getLogger(SafeBunnyEngine.class);

    /** Dead letters, and notices of poison messages. */
    private static final int BESIDE_AT_ONCE = 10;

    private final SafeBunnyParts parts;
    private final ConfirmedSender sender;
    private final Bunny bunny;
    private final Metrics metrics;
    private final Observations observations;
    private final NodePoison poison;
    private final Events events;
    private final @Nullable Deduplication deduplication;
    private final NodeSagas sagas;
    private final NodeScheduling scheduling;
    private final ConsumePipelineFactory pipelines;
    private final BoundedLog log;
    private final HeldDeliveries held = new HeldDeliveries();
    private final Consumptions consumptions;
    private final NodeOperations operations;
    private volatile @Nullable Topology started;
    private volatile List<HandlerDefinition> handled = List.of();
    private @Nullable Handlers defined;

    public SafeBunnyEngine(SafeBunnyParts parts) {
        this.parts = parts;
        SafeBunnyOptions options = parts.options();
        log = new BoundedLog(parts.timeline(), options.exceptionDetails());
        metrics = new Metrics(parts.meterRegistry());
        events = new Events(options.node(), parts.listeners(), parts.callbacks(), parts.timeline(), log);
        parts.breakers().addListener(events::tell);
        observations =
                new Observations(parts.observationRegistry(), options.topology().mainExchange(), log);
        sender = new ConfirmedSender(
                parts.transport(),
                parts.timeline(),
                parts.callbacks(),
                new ConfirmedSender.Limits(options.publishTimeout(), options.maxInFlight()),
                observations);
        metrics.inFlight(sender::inFlight);
        poison = new NodePoison(parts, sender);
        sender.awaitStart();
        consumptions = new Consumptions(parts.transport(), parts.timeline());
        operations = new NodeOperations(
                options.node(),
                parts.instance(),
                parts.breakers(),
                parts.meteredStore(),
                parts.storeOutlivesProcess(),
                parts.timeline(),
                parts.callbacks(),
                options.lease(),
                options.autoStartup(),
                log);
        CurrentHandling current = new CurrentHandling();
        PipelineBunny publisher = new PipelineBunny(
                current,
                new PublishingOptions(
                        options.node(), options.maxMessageSize(), parts.codecs().publishing()),
                parts.idScheme(),
                parts.serializers().writer(),
                sender,
                parts.outbox(),
                parts.timeline(),
                metrics,
                observations,
                parts.scope(),
                parts.callbacks(),
                log,
                parts.publishMiddlewares());
        bunny = publisher;
        deduplication = parts.meteredStore() == null
                ? null
                : new Deduplication(
                        parts.meteredStore(),
                        sender,
                        parts.timeline(),
                        parts.callbacks(),
                        metrics,
                        events,
                        log,
                        new DedupOptions(options.lease(), options.topology().deliveryLimit(), options.retention()));
        LibraryMessages library = new LibraryMessages(options.node(), parts.idScheme(), parts.timeline(), observations);
        sagas = new NodeSagas(parts, current, publisher, library, sender, metrics, log);
        scheduling = new NodeScheduling(parts, current, publisher, library, sender, metrics, log);
        pipelines = new ConsumePipelineFactory(
                current,
                publisher::within,
                new ConsumeOptions(
                        options.node(),
                        options.maxMessageSize(),
                        options.topology().deliveryLimit(),
                        options.topology().queueType() == QueueType.QUORUM,
                        parts.meteredStore() == null ? null : options.retention(),
                        options.trustedUsers()),
                parts.serializers(),
                parts.codecs(),
                sender,
                library,
                deduplication,
                sagas::correlationOf,
                new Turns<>(parts.timeline()),
                parts.consumeMiddlewares(),
                parts.contextPropagators(),
                parts.scope(),
                parts.timeline(),
                parts.timeline().random(),
                metrics,
                observations,
                events,
                held,
                log);
    }

    /**
     * The node's sagas, from the start on.
     *
     * @throws MisuseException SB-5012 when it has none, or has not been started
     */
    public Sagas sagas() {
        return sagas.require();
    }

    /**
     * What this node schedules.
     *
     * @throws MisuseException SB-5013 when it keeps no scheduled messages
     */
    public ScheduledMessages scheduledMessages() {
        return scheduling.require();
    }

    /** Pauses and resumes types on all instances of this node, from the start on. */
    public BunnyOperations operations() {
        return operations;
    }

    /**
     * What this node has set aside, from the start on.
     *
     * @throws MisuseException SB-5014 when it handles nothing, or has not been started
     */
    public PoisonMessages poisonMessages() {
        return poison.require();
    }

    /** Sagas that go on only when a person has looked after them, by their name, as the store said last; empty for none. */
    public Map<String, Map<SagaStatus, Long>> sagasNeedingRepair() {
        return sagas.needingRepair();
    }

    /** Active sagas that wait for a message that was set aside, by their name, as the store said last; empty for none. */
    public Map<String, Long> sagasBlocked() {
        return sagas.blocked();
    }

    /** Sagas that are undoing, by their name, as the store said last; empty for none. */
    public Map<String, UndoingSagas> sagasUndoing() {
        return sagas.undoing();
    }

    /** Whether it is known which sagas the node has, if any: from the start on. */
    public boolean knowsItsSagas() {
        return sagas.areDefined();
    }

    /** Whether the node has sagas; false before the start, see {@link #knowsItsSagas}. */
    public boolean hasSagas() {
        return sagas.areThere();
    }

    /** When the store said what {@link #sagasNeedingRepair} and {@link #sagasUndoing} tell; {@code null} before it has been asked. */
    public @Nullable Instant sagasCountedAt() {
        return sagas.countedAt();
    }

    /** Publishes while the engine is running; before and after, it fails at once with SB-2006. */
    public Bunny bunny() {
        return bunny;
    }

    /**
     * The transport's status; also unusable when a queue is blocked because every place in its prefetch is held by a message
     * whose copy the broker refuses.
     */
    public TransportStatus status() {
        TransportStatus status = parts.transport().status();
        if (!status.usable()) {
            return status;
        }
        return consumptions.withStandstills(status, held());
    }

    /** {@code null} while the store answers, or when there is none. */
    public @Nullable StoreOutage storeOutage() {
        MeteredStore store = parts.meteredStore();
        return store == null ? null : store.answers().outage();
    }

    /** A queue in which nothing moves, because the broker refuses the copies of all messages in its prefetch; {@code null} for none. */
    public @Nullable String blockedQueue() {
        return consumptions.blocked(held());
    }

    /** Messages that can currently be neither handled nor set aside, by queue. */
    public Map<String, HeldDeliveries.Held> held() {
        return held.byQueue();
    }

    /** Handled messages whose publications the broker does not accept; empty without a store. */
    public WaitingPublications waiting() {
        return deduplication == null ? new WaitingPublications(0, null, Map.of()) : deduplication.waiting();
    }

    /**
     * Plans and applies the topology, then starts consuming.
     *
     * @throws io.safebunny.failure.ConfigurationException when the broker has something that contradicts the topology, or a body
     *     could choose the class it is read as
     */
    public void start(List<HandlerDefinition> definitions) {
        start(definitions, List.of());
    }

    /**
     * Like {@link #start(List)}, with sagas.
     *
     * @throws ConfigurationException also SB-1108 when there is no store for the sagas
     */
    public void start(List<HandlerDefinition> definitions, List<SagaDefinition> sagaDefinitions) {
        startPublishing(definitions, sagaDefinitions);
        try {
            startConsuming();
        } catch (RuntimeException e) { // for example, no permission to read a queue
            stopPublishing();
            throw e;
        }
    }

    /**
     * The first half of {@link #start(List, List)}: plans and applies the topology, and publishes from then on, what waits in the store
     * included. Nothing is consumed yet.
     *
     * @throws ConfigurationException as {@link #start(List, List)}
     */
    public void startPublishing(List<HandlerDefinition> definitions, List<SagaDefinition> sagaDefinitions) {
        SafeBunnyOptions options = parts.options();
        Handlers handlers = define(definitions, sagaDefinitions);
        handlers.all().forEach(handler -> parts.serializers().prepare(handler.payloadType()));
        if (deduplication != null) {
            handlers.requireRetriesWithin(options.retention());
        }
        options.trustedUsers().requireAll(options.node(), handlers.all());
        Topology topology = planned(handlers);
        started = topology;
        defined = handlers;
        handled = handlers.all();
        if (LOG.isInfoEnabled()) {
            LOG.info("Node {} handles{}", options.node(), handlers.describe(options.trustedUsers()));
            LOG.info("Topology of node {}: {}", options.node(), topology.summary());
        }
        LOG.debug("Topology of node {}{}{}", options.node(), System.lineSeparator(), topology.describe());
        Transport transport = parts.transport();
        sender.explainUnroutable(type -> handlers.taken(options.node(), type));
        sender.start(); // publications made while the transport connects wait for it
        try {
            transport.start(topology);
        } catch (RuntimeException e) {
            sender.awaitStart(); // no connection is coming, so publications must not wait for one
            throw e;
        }
        if (deduplication != null) {
            deduplication.start();
        }
        sagas.start();
        scheduling.start();
        if (parts.outbox() != null) {
            parts.outbox().start(sender::sendTraced);
        }
    }

    /** The second half of {@link #start(List, List)}; after a failure, only publishing is left to be stopped. */
    public void startConsuming() {
        try {
            consume(Objects.requireNonNull(defined, "startPublishing comes first"));
        } catch (RuntimeException e) {
            stopConsuming(Duration.ZERO);
            throw e;
        }
    }

    /**
     * What a start would declare. Instead of a start: what is planned is not started.
     *
     * @throws ConfigurationException when handlers contradict each other, as {@link #start(List, List)}
     */
    public Topology plan(List<HandlerDefinition> definitions, List<SagaDefinition> sagaDefinitions) {
        Handlers handlers = define(definitions, sagaDefinitions);
        handled = handlers.all();
        return planned(handlers);
    }

    /** What was declared at the start; {@code null} before it. */
    public @Nullable Topology topology() {
        return started;
    }

    /** What the node handles, its sagas' handlers among it; empty before the start or the plan. */
    public List<HandlerDefinition> handlers() {
        return handled;
    }

    private Handlers define(List<HandlerDefinition> definitions, List<SagaDefinition> sagaDefinitions) {
        sagas.define(sagaDefinitions);
        return new Handlers(HandlerSource.all(List.of(() -> definitions, sagas::handlers, scheduling::handlers)));
    }

    private Topology planned(Handlers handlers) {
        SafeBunnyOptions options = parts.options();
        return TopologyPlanner.plan(options.node(), handlers.subscriptions(), sagas.participants(), options.topology());
    }

    private void consume(Handlers handlers) {
        SafeBunnyOptions options = parts.options();
        Set<String> types = handlers.types();
        observations.register(metrics, types);
        types.forEach(type -> metrics.register(type, deduplication != null));
        if (!types.isEmpty()) {
            operations.start(parts.transport());
        }
        for (HandlerDefinition handler : handlers.all()) {
            TypeBreaker breaker = parts.breakers()
                    .add(
                            handler.type(),
                            handler.payloadType(),
                            metrics,
                            parts.options().exceptionDetails());
            Consumption consumption = consumptions.open(
                    Names.address(options.node(), handler.type()),
                    handler.prefetch(),
                    operations.handles(handler.type()),
                    pipelines.create(handler, types, breaker));
            breaker.paces(consumption);
        }
        if (!types.isEmpty()) {
            poison.start(handlers, pipelines, metrics, events);
            consumeBeside(Topology.deadLettersOf(options.node()), pipelines.createForDeadLetters(types));
        }
        sagas.poisonWatch().ifPresent(watch -> consumeBeside(Topology.poisonWatchOf(options.node()), watch));
    }

    /** A queue that is nobody's type: consumed as soon as any type may be. */
    private void consumeBeside(String queue, DeliveryHandler handler) {
        operations.paces(consumptions.open(queue, BESIDE_AT_ONCE, !operations.hasBegun(), handler));
    }

    /** Stops taking messages, waits for those being handled, then disconnects. Messages not finished in time come back. */
    public void stop(Duration grace) {
        stopConsuming(grace);
        stopPublishing();
    }

    /**
     * The first half of {@link #stop}: publishing goes on, unless handlers outstay the grace period; then the connection is cut under
     * them, as only that makes sure that their messages come back.
     */
    public void stopConsuming(Duration grace) {
        operations.stop();
        poison.stop();
        parts.breakers().stop();
        // close first: when the caller interrupts the handlers next, their deliveries must be closed already, or the
        // interrupt would cost an attempt
        if (!consumptions.drain(grace)) {
            parts.transport().close();
            sender.stop();
        }
        consumptions.forget();
    }

    /** The second half of {@link #stop}: ends what sends, then disconnects. */
    public void stopPublishing() {
        sagas.stop();
        scheduling.stop();
        if (deduplication != null) {
            deduplication.stop();
        }
        if (parts.outbox() != null) {
            parts.outbox().stop();
        }
        sender.stop();
        parts.transport().close();
        events.stop();
        log.close();
    }
}
