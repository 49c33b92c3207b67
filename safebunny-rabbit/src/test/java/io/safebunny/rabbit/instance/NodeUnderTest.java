// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.instance;

import io.safebunny.Bunny;
import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyOperations;
import io.safebunny.ScheduledMessages;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.TrustedUsers;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.rabbit.BrokerConnections;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.rabbit.RabbitTransportOptions;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.saga.Sagas;
import io.safebunny.store.MessageStore;
import io.safebunny.story.BunnyStory;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** A whole node on a real broker, without Spring Boot: handles {@link Job}s of its own node or what it is told to, and publishes. */
public final class NodeUnderTest implements AutoCloseable {

    private static final BreakerSettings NO_FAILURE_RATE = new BreakerSettings(0, 100, 100, Duration.ofSeconds(1), 1);

    private final ExecutorService workers = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "node-under-test");
        thread.setDaemon(true);
        return thread;
    });
    private final SystemTimeline timeline;
    private final CachingConnectionFactory publish;
    private final CachingConnectionFactory consume;
    private final CachingConnectionFactory deadLetters;
    private final RabbitTransport transport;
    private final CircuitBreakers breakers;
    private final SafeBunnyEngine engine;

    /** One delayed retry. */
    public static NodeUnderTest start(InstanceOptions options, HandlerInvoker handler) {
        return startWithRetries(options, 1, Duration.ofMillis(100), handler);
    }

    /** Without breaking the circuit, which is what so many failures would do. */
    public static NodeUnderTest startWithRetries(
            InstanceOptions options, int retries, Duration delay, HandlerInvoker handler) {
        return startWith(
                options,
                bunny -> List.of(new HandlerDefinition(
                        "node under test",
                        "Job",
                        Job.class,
                        List.of(options.node()),
                        options.prefetch(),
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(retries, delay)),
                        handler)));
    }

    /** @param handlers is given what the node publishes with */
    public static NodeUnderTest startWith(InstanceOptions options, Function<Bunny, List<HandlerDefinition>> handlers) {
        SystemTimeline timeline = new SystemTimeline("node-under-test");
        return startWith(
                options,
                timeline,
                options.remembers() ? new MemoryMessageStore(timeline, Duration.ofDays(7)) : null,
                handlers);
    }

    /** As another user of the broker than its default one. */
    public static NodeUnderTest startAs(
            String user, String password, InstanceOptions options, Function<Bunny, List<HandlerDefinition>> handlers) {
        return startAs(user, password, TrustedUsers.UNCHECKED, options, handlers);
    }

    /** With sagas. */
    public static NodeUnderTest startAs(
            String user,
            String password,
            InstanceOptions options,
            Function<Bunny, List<HandlerDefinition>> handlers,
            Object... sagas) {
        return startAs(user, password, TrustedUsers.UNCHECKED, options, handlers, definitions(sagas));
    }

    private static List<SagaDefinition> definitions(Object... sagas) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (Object saga : sagas) {
            beans.registerSingleton(saga.getClass().getSimpleName(), saga);
        }
        RetrySettings never = new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0);
        return new SagaScanner(beans, new HandlerDefaults(10, never, RetryStrategy.none()), null).sagas();
    }

    /** The same, and tells who it is to nodes that want to know if it wants to know itself. */
    public static NodeUnderTest startAs(
            String user,
            String password,
            TrustedUsers trusted,
            InstanceOptions options,
            Function<Bunny, List<HandlerDefinition>> handlers) {
        return startAs(user, password, trusted, options, handlers, List.of());
    }

    private static NodeUnderTest startAs(
            String user,
            String password,
            TrustedUsers trusted,
            InstanceOptions options,
            Function<Bunny, List<HandlerDefinition>> handlers,
            List<SagaDefinition> sagas) {
        SystemTimeline timeline = new SystemTimeline("node-under-test");
        MessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
        NodeUnderTest node = new NodeUnderTest(options, topologyOf(options), timeline, store, trusted, client -> {
            client.setUsername(user);
            client.setPassword(password);
        });
        try {
            node.engine.start(handlers.apply(node.bunny()), sagas);
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
        return node;
    }

    /** With a store that outlives the node, or none. */
    public static NodeUnderTest startWith(
            InstanceOptions options, @Nullable MessageStore store, Function<Bunny, List<HandlerDefinition>> handlers) {
        return startWith(options, new SystemTimeline("node-under-test"), store, handlers);
    }

    /** With a ladder of its own, sagas, and scheduled messages, in a store that outlives it and is swept once a lease. */
    public static NodeUnderTest startWaiting(
            InstanceOptions options, String prefix, MessageStore store, Duration lease, Object... sagas) {
        NodeUnderTest node = new NodeUnderTest(
                options,
                topologyOf(options).withPrefix(prefix),
                new SystemTimeline("node-under-test"),
                store,
                TrustedUsers.UNCHECKED,
                client -> {},
                settings -> settings.withLease(lease),
                parts -> parts.scheduling(true));
        node.engine.start(List.of(), definitions(sagas));
        return node;
    }

    /** Whose queues are others than usual; remembers nothing. */
    public static NodeUnderTest startWith(
            InstanceOptions options, TopologyOptions topology, Function<Bunny, List<HandlerDefinition>> handlers) {
        NodeUnderTest node = new NodeUnderTest(
                options, topology, new SystemTimeline("node-under-test"), null, TrustedUsers.UNCHECKED, client -> {});
        node.engine.start(handlers.apply(node.bunny()));
        return node;
    }

    private static NodeUnderTest startWith(
            InstanceOptions options,
            SystemTimeline timeline,
            @Nullable MessageStore store,
            Function<Bunny, List<HandlerDefinition>> handlers) {
        NodeUnderTest node =
                new NodeUnderTest(options, topologyOf(options), timeline, store, TrustedUsers.UNCHECKED, client -> {});
        node.engine.start(handlers.apply(node.bunny()));
        return node;
    }

    /** Only publishes, in the name of the same node. */
    public static NodeUnderTest publisher(InstanceOptions options) {
        return startWith(options, bunny -> List.of());
    }

    private static TopologyOptions topologyOf(InstanceOptions options) {
        return TopologyOptions.defaults().withDeliveryLimit(options.deliveryLimit());
    }

    private NodeUnderTest(
            InstanceOptions options,
            TopologyOptions topology,
            SystemTimeline timeline,
            @Nullable MessageStore store,
            TrustedUsers trusted,
            Consumer<com.rabbitmq.client.ConnectionFactory> user) {
        this(options, topology, timeline, store, trusted, user, UnaryOperator.identity(), UnaryOperator.identity());
    }

    private NodeUnderTest(
            InstanceOptions options,
            TopologyOptions topology,
            SystemTimeline timeline,
            @Nullable MessageStore store,
            TrustedUsers trusted,
            Consumer<com.rabbitmq.client.ConnectionFactory> user,
            UnaryOperator<SafeBunnyOptions> more,
            UnaryOperator<SafeBunnyParts.Builder> others) {
        this.timeline = timeline;
        publish = factory(options.node() + ":publish", options, user);
        consume = factory(options.node() + ":consume", options, user);
        deadLetters = factory(options.node() + ":dead-letters", options, user);
        transport = new RabbitTransport(
                new RabbitTransportOptions(
                        8, DelayStrategy.LADDER, !trusted.byNode().isEmpty()),
                new BrokerConnections(publish, consume, deadLetters),
                workers,
                timeline);
        breakers = new CircuitBreakers(NO_FAILURE_RATE, timeline, workers);
        SafeBunnyOptions settings = more.apply(SafeBunnyOptions.of(options.node())
                .withTopology(topology)
                .withPublishTimeout(options.publishTimeout())
                .withMaxMessageSize(1 << 20)
                .withTrustedUsers(trusted));
        engine = new SafeBunnyEngine(others.apply(SafeBunnyParts.builder(settings, transport, timeline)
                        .store(store)
                        .breakers(breakers))
                .build());
    }

    private static CachingConnectionFactory factory(
            String name, InstanceOptions options, Consumer<com.rabbitmq.client.ConnectionFactory> user) {
        com.rabbitmq.client.ConnectionFactory client = new com.rabbitmq.client.ConnectionFactory();
        client.setAutomaticRecoveryEnabled(false);
        client.setConnectionTimeout(5_000);
        client.setHandshakeTimeout(5_000);
        client.setRequestedHeartbeat(10);
        client.setChannelRpcTimeout(10_000);
        client.setUsername(options.username());
        client.setPassword(options.password());
        user.accept(client);
        CachingConnectionFactory factory = new CachingConnectionFactory(client);
        factory.setAddresses(options.addresses());
        factory.setConnectionNameStrategy(ignored -> name);
        return factory;
    }

    public Bunny bunny() {
        return engine.bunny();
    }

    /** Of a node that was started with some. */
    public Sagas sagas() {
        return engine.get(Sagas.class);
    }

    /** Of a node that handles something. */
    public PoisonMessages poisonMessages() {
        return engine.get(PoisonMessages.class);
    }

    /** Of a node that waits. */
    public ScheduledMessages scheduledMessages() {
        return engine.get(ScheduledMessages.class);
    }

    public BunnyOperations operations() {
        return engine.get(BunnyOperations.class);
    }

    /** Those on the broker, as far as this one is told. */
    public Nodes nodes() {
        return engine.get(Nodes.class);
    }

    /** What became of an id, at all nodes. */
    public BunnyStory stories() {
        return engine.get(BunnyStory.class);
    }

    public BunnyCircuitBreaker breaker() {
        return breakers;
    }

    public TransportStatus status() {
        return engine.status();
    }

    /** Finishes what is being handled, as an application does on SIGTERM. */
    public void stop(Duration grace) {
        engine.stop(grace);
        publish.destroy();
        consume.destroy();
        deadLetters.destroy();
        workers.shutdownNow();
        timeline.close();
    }

    @Override
    public void close() {
        stop(Duration.ofSeconds(5));
    }
}
