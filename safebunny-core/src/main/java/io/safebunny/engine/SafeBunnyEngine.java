// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.Bunny;
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
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.node.StoreOutage;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.operations.NodeOperations;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.saga.supervision.SagaSupervision;
import io.safebunny.scheduling.Scheduling;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyPlanner;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import io.safebunny.waiting.Turns;
import java.time.Duration;
import java.util.ArrayList;
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

    /** Prefetch of the queues of dead letters and of notices. */
    private static final int BESIDE_AT_ONCE = 10;

    private final SafeBunnyParts parts;
    private final Node node;
    private final ConfirmedSender sender;
    private final Metrics metrics;
    private final Observations observations;
    private final Events events;
    private final @Nullable Deduplication deduplication;
    private final List<NodeFeature> features;
    private final ConsumePipelineFactory pipelines;
    private final BoundedLog log;
    private final HeldDeliveries held = new HeldDeliveries();
    private final Consumptions consumptions;
    private volatile @Nullable Topology started;
    private volatile List<HandlerDefinition> handled = List.of();
    private @Nullable Handlers defined;

    public SafeBunnyEngine(SafeBunnyParts parts) {
        this.parts = parts;
        SafeBunnyOptions options = parts.options();
        node = new Node(parts);
        log = node.log();
        metrics = node.metrics();
        events = node.events();
        parts.breakers().addListener(events::tell);
        observations = node.observations();
        sender = node.sender();
        sender.awaitStart();
        consumptions = new Consumptions(parts.transport(), parts.timeline());
        deduplication = node.store() == null
                ? null
                : new Deduplication(
                        node.store(),
                        sender,
                        parts.timeline(),
                        parts.callbacks(),
                        metrics,
                        events,
                        log,
                        new DedupOptions(options.lease(), options.topology().deliveryLimit(), options.retention()));
        SagaSupervision sagas = new SagaSupervision(node);
        pipelines = new ConsumePipelineFactory(
                node.current(),
                node.publisher()::within,
                new ConsumeOptions(
                        options.node(),
                        options.maxMessageSize(),
                        options.topology().deliveryLimit(),
                        options.topology().queueType() == QueueType.QUORUM,
                        node.store() == null ? null : options.retention(),
                        options.trustedUsers()),
                parts.serializers(),
                parts.codecs(),
                sender,
                node.library(),
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
        features = List.of(
                new NodeOperations(node, parts.instance(), !(parts.store() instanceof MemoryMessageStore)),
                new QueuePoisonMessages(node, pipelines),
                sagas,
                Scheduling.of(node, parts.scheduling()));
    }

    /**
     * What a feature of this node offers, such as {@link io.safebunny.ScheduledMessages}; there from the construction on.
     *
     * @throws MisuseException SB-5001 when no feature offers it
     */
    public <T> T get(Class<T> offered) {
        return features.stream()
                .flatMap(feature -> feature.offers().stream())
                .filter(offered::isInstance)
                .map(offered::cast)
                .findFirst()
                .orElseThrow(() -> new MisuseException(
                        MisuseException.ARGUMENT,
                        "No feature of node %s offers a %s. Name the interface of one that does."
                                .formatted(parts.options().node(), offered.getName())));
    }

    /** Publishes while the engine is running; before and after, it fails at once with SB-2006. */
    public Bunny bunny() {
        return node.publisher();
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
        return node.storeOutage();
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
        features.forEach(NodeFeature::startPublishing);
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
        List<HandlerSource> sources = new ArrayList<>(List.of(() -> definitions));
        features.forEach(feature -> sources.add(() -> feature.handlers(sagaDefinitions)));
        return new Handlers(HandlerSource.all(sources));
    }

    private Topology planned(Handlers handlers) {
        SafeBunnyOptions options = parts.options();
        List<String> participants = features.stream()
                .flatMap(feature -> feature.participants().stream())
                .toList();
        return TopologyPlanner.plan(options.node(), handlers.subscriptions(), participants, options.topology());
    }

    private void consume(Handlers handlers) {
        SafeBunnyOptions options = parts.options();
        Set<String> types = handlers.types();
        observations.register(metrics, types);
        types.forEach(type -> metrics.register(type, deduplication != null));
        features.forEach(feature -> feature.startConsuming(handlers.all()));
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
                    features.stream().anyMatch(feature -> feature.holds(handler.type())),
                    pipelines.create(handler, types, breaker));
            breaker.paces(consumption);
        }
        if (!types.isEmpty()) {
            consumeBeside(Topology.deadLettersOf(options.node()), pipelines.createForDeadLetters(types));
        }
        features.forEach(feature -> feature.queues().forEach(this::consumeBeside));
    }

    /** A queue that is nobody's type: consumed as soon as any type may be. */
    private void consumeBeside(String queue, DeliveryHandler handler) {
        boolean held = features.stream().anyMatch(NodeFeature::holdsOtherQueues);
        Consumption consumption = consumptions.open(queue, BESIDE_AT_ONCE, held, handler);
        features.forEach(feature -> feature.opened(consumption));
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
        features.forEach(NodeFeature::stopConsuming);
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
        features.forEach(NodeFeature::stopPublishing);
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
