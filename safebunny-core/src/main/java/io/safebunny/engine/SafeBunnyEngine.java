// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.Bunny;
import io.safebunny.consuming.ConsumePipelineFactory;
import io.safebunny.dedup.Deduplication;
import io.safebunny.dedup.NotRemembered;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerSource;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.incident.Incidents;
import io.safebunny.keys.KeysInUse;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.node.StoreOutage;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.observation.Tallies.Tally;
import io.safebunny.operations.NodeCondition;
import io.safebunny.operations.NodeOperations;
import io.safebunny.order.draining.Lanes;
import io.safebunny.order.sharding.Shards;
import io.safebunny.poison.queue.HeldDeliveries;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.poison.wanted.StepFates;
import io.safebunny.rate.leasing.RateLimits;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.scheduling.Scheduling;
import io.safebunny.story.telling.StoryTeller;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import io.safebunny.upgrade.UpgradeSamples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node: publishes and consumes from {@link #start} to {@link #stop}. Start and stop are called by one thread; the rest is
 * thread-safe.
 */
public final class SafeBunnyEngine {

    private static final Logger LOG = LoggerFactory.getLogger(SafeBunnyEngine.class);

    private final SafeBunnyParts parts;
    private final Node node;
    private final @Nullable Deduplication deduplication;
    private final List<NodeFeature> features;
    private final HeldDeliveries held = new HeldDeliveries();
    private final Lanes lanes;
    private final Shards shards;
    private final Consumptions consumptions;
    private volatile @Nullable Topology started;
    private volatile List<HandlerDefinition> handled = List.of();
    private @Nullable Handlers defined;

    public SafeBunnyEngine(SafeBunnyParts parts) {
        this.parts = parts;
        node = new Node(parts);
        parts.breakers().addListener(node.events()::tell);
        node.sender().awaitStart();
        deduplication = node.store() == null ? null : new Deduplication(node);
        lanes = new Lanes(node);
        shards = new Shards(node, held);
        boolean isShared = !(parts.store() instanceof MemoryMessageStore);
        RateLimits rates = new RateLimits(node, isShared);
        SagaSupervision sagas = new SagaSupervision(node);
        ConsumePipelineFactory pipelines = new ConsumePipelineFactory(
                node,
                deduplication == null ? new NotRemembered(node.sender()) : deduplication,
                sagas::correlationOf,
                held,
                lanes::wake,
                rates);
        NodeOperations operations = new NodeOperations(node, parts.instance(), isShared);
        QueuePoisonMessages poison = new QueuePoisonMessages(
                node,
                operations.nodes(),
                new StepFates(node, operations.nodes(), sagas::definitions),
                pipelines,
                operations.moved(),
                lanes::skip);
        features = List.of(
                operations,
                poison,
                sagas,
                lanes,
                shards,
                rates,
                new Incidents(node, sagas, poison),
                new UpgradeSamples(node, sagas, poison),
                new KeysInUse(node, operations.instance(), poison.whole()),
                Scheduling.of(node, parts.scheduling()),
                new StoryTeller(node, operations, isShared, sagas.sagas(), sagas::definitions, shards::troubles));
        consumptions = new Consumptions(node, features, pipelines, lanes, shards, rates);
    }

    /**
     * An object that a feature of this node offers, such as {@link io.safebunny.ScheduledMessages}; available from construction on.
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

    /** Publishes while the engine is running; before and afterwards, fails at once with SB-2006. */
    public Bunny bunny() {
        return node.publisher();
    }

    /** The transport's status; also unusable while there is a {@link #blockedQueue}. */
    public TransportStatus status() {
        TransportStatus status = parts.transport().status();
        if (!status.usable()) {
            return status;
        }
        return consumptions.withStandstills(status, held());
    }

    /** The current outage of the store; {@code null} while the store answers, or if there is no store. */
    public @Nullable StoreOutage storeOutage() {
        return node.storeOutage();
    }

    /** A queue that stands still because the broker refuses the copies of all messages in its prefetch; {@code null} for none. */
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

    /** The condition of each part of the node, by name, in the order in which an operator looks at them. Asking is cheap. */
    public Map<String, Supplier<NodeCondition>> conditions() {
        return NodeConditions.of(this, parts);
    }

    /** What became of messages since the node was created, by type. */
    public Map<String, Tally> tallies() {
        return node.metrics().tallies().byType();
    }

    /**
     * Plans and applies the topology, then starts consuming.
     *
     * @throws ConfigurationException when something on the broker contradicts the topology, or a message body could choose the class
     *     that it is read as
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
     * The first half of {@link #start(List, List)}: plans and applies the topology, and publishes from then on, including what waits in
     * the store. Nothing is consumed yet.
     *
     * @throws ConfigurationException as {@link #start(List, List)}
     */
    public void startPublishing(List<HandlerDefinition> definitions, List<SagaDefinition> sagaDefinitions) {
        SafeBunnyOptions options = parts.options();
        Handlers handlers = define(definitions, sagaDefinitions);
        handlers.all().forEach(handler -> {
            Object unused = BodyVersions.of(handler.payloadType());
            parts.serializers().prepare(handler.payloadType(), handler.payloadClass());
            parts.codecs().requireFor(handler.payloadClass());
        });
        if (deduplication != null) {
            handlers.requireRetriesWithin(options.retention());
        } else {
            handlers.requireNoneOrdered();
        }
        options.trustedUsers().requireAll(options.node(), handlers.all());
        handlers.requireHeldCanBeReplayed(options);
        handlers.requireNoneShardedOf(options.trustedUsers());
        lanes.requireNoneLeft(handlers.all());
        Topology topology = planned(shards.subscriptions(handlers.all()));
        started = topology;
        defined = handlers;
        handled = handlers.all();
        if (LOG.isInfoEnabled()) {
            LOG.info("Node {} handles{}", options.node(), handlers.describe(options.trustedUsers()));
            LOG.info("Topology of node {}: {}", options.node(), topology.summary());
        }
        List<String> hasty = handlers.hastyRetries();
        if (!hasty.isEmpty()) {
            LOG.warn(
                    "Delayed retries are shorter than 100 ms {}: a number without a unit is milliseconds. Write 10s for ten seconds",
                    hasty);
        }
        LOG.debug("Topology of node {}{}{}", options.node(), System.lineSeparator(), topology.describe());
        Transport transport = parts.transport();
        node.sender().explainUnroutable(type -> handlers.taken(options.node(), type));
        node.sender().start(); // publications made while the transport connects wait for it
        try {
            transport.start(topology);
        } catch (RuntimeException e) {
            node.sender().awaitStart(); // there will be no connection, so publications must not wait for one
            throw e;
        }
        if (deduplication != null) {
            deduplication.start();
        }
        features.forEach(NodeFeature::startPublishing);
        if (parts.outbox() != null) {
            parts.outbox().start(node.sender()::sendTraced);
        }
    }

    /** The second half of {@link #start(List, List)}. If it fails, consuming is stopped again; then call {@link #stopPublishing}. */
    public void startConsuming() {
        try {
            consume(Objects.requireNonNull(defined, "startPublishing comes first"));
        } catch (RuntimeException e) {
            stopConsuming(Duration.ZERO);
            throw e;
        }
    }

    /**
     * The topology that a start would declare, for an engine that is not going to be started.
     *
     * @throws ConfigurationException when handlers contradict each other, as {@link #start(List, List)}
     */
    public Topology plan(List<HandlerDefinition> definitions, List<SagaDefinition> sagaDefinitions) {
        Handlers handlers = define(definitions, sagaDefinitions);
        handled = handlers.all();
        return planned(shards.subscriptions(handlers.all()));
    }

    /** The topology that was declared at the start; {@code null} before. */
    public @Nullable Topology topology() {
        return started;
    }

    /** All handlers of the node, including those of its sagas; empty before the start or the plan. */
    public List<HandlerDefinition> handlers() {
        return handled;
    }

    private Handlers define(List<HandlerDefinition> definitions, List<SagaDefinition> sagaDefinitions) {
        List<HandlerSource> sources = new ArrayList<>(List.of(() -> definitions));
        features.forEach(feature -> sources.add(() -> feature.handlers(sagaDefinitions)));
        Handlers handlers = new Handlers(HandlerSource.all(sources));
        handlers.all().stream()
                .filter(handler -> parts.codecs().hidesContent(handler.payloadClass()))
                .forEach(handler -> node.details().hideTextsOf(handler.type()));
        return handlers;
    }

    private Topology planned(List<Subscription> subscriptions) {
        SafeBunnyOptions options = parts.options();
        List<String> participants = features.stream()
                .flatMap(feature -> feature.participants().stream())
                .toList();
        return TopologyPlanner.plan(options.node(), subscriptions, participants, options.topology());
    }

    private void consume(Handlers handlers) {
        Set<String> types = handlers.types();
        node.observations().register(node.metrics(), types);
        types.forEach(type -> node.metrics().register(type, deduplication != null));
        features.forEach(feature -> feature.startConsuming(handlers.all()));
        consumptions.open(handlers);
    }

    /** Stops taking messages, waits for those being handled, then disconnects. Messages not finished in time come back. */
    public void stop(Duration grace) {
        stopConsuming(grace);
        stopPublishing();
    }

    /**
     * The first half of {@link #stop}: publishing goes on. If handlers outlast the grace period, the connection is closed while they run,
     * because only that guarantees that their messages come back.
     */
    public void stopConsuming(Duration grace) {
        features.forEach(NodeFeature::stopConsuming);
        parts.breakers().stop();
        // close first: the caller interrupts the handlers next, and
        // with an open delivery the interrupt would cost an attempt
        if (!consumptions.drain(grace)) {
            parts.transport().close();
            node.sender().stop();
        }
    }

    /** The second half of {@link #stop}: ends everything that sends, then disconnects. */
    public void stopPublishing() {
        features.forEach(NodeFeature::stopPublishing);
        if (deduplication != null) {
            deduplication.stop();
        }
        if (parts.outbox() != null) {
            parts.outbox().stop();
        }
        node.sender().stop();
        parts.transport().close();
        node.events().stop();
        node.log().close();
    }
}
