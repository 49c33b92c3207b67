// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import io.safebunny.Bunny;
import io.safebunny.ScheduledMessages;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.rabbit.BrokerConnections;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.rabbit.RabbitTransportOptions;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.saga.Sagas;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** A complete node on a real broker, without Spring Boot. */
public final class Node implements AutoCloseable {

    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Duration RETRY_DELAY = Duration.ofMillis(200);
    private static final Duration PUBLISH_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration RETENTION = Duration.ofDays(7);
    private static final int DELIVERY_LIMIT = 20;
    /** Small, so that a frozen process keeps few messages from the others. */
    private static final int PREFETCH = 2;

    private static final int GROUP = 4;

    private static final BreakerSettings NO_FAILURE_RATE = new BreakerSettings(0, 100, 100, Duration.ofSeconds(1), 1);

    private final ExecutorService workers = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "worker");
        thread.setDaemon(true);
        return thread;
    });
    private final NodeAddress address;
    private final CachingConnectionFactory publish;
    private final CachingConnectionFactory consume;
    private final CachingConnectionFactory deadLetters;
    private final SafeBunnyEngine engine;
    private final Duration lease;

    /** @param wrap wraps the transport to the broker */
    public Node(NodeAddress address, Persistence persistence, Timeline timeline, UnaryOperator<Transport> wrap) {
        this(address, persistence, timeline, wrap, parts -> parts);
    }

    /** @param more sets what else it is made of */
    public Node(
            NodeAddress address,
            Persistence persistence,
            Timeline timeline,
            UnaryOperator<Transport> wrap,
            UnaryOperator<SafeBunnyParts.Builder> more) {
        this.address = address;
        this.lease = persistence.lease();
        publish = factory(address, ":publish");
        consume = factory(address, ":consume");
        deadLetters = factory(address, ":dead-letters");
        Transport transport = wrap.apply(new RabbitTransport(
                new RabbitTransportOptions(4, DelayStrategy.LADDER),
                new BrokerConnections(publish, consume, deadLetters),
                workers,
                timeline));
        SafeBunnyOptions options = SafeBunnyOptions.of(address.node())
                .withTopology(
                        TopologyOptions.defaults().withPrefix(address.prefix()).withDeliveryLimit(DELIVERY_LIMIT))
                .withPublishTimeout(PUBLISH_TIMEOUT)
                .withMaxInFlight(100)
                .withMaxMessageSize(1 << 20)
                .withRetention(RETENTION)
                .withLease(lease);
        engine = new SafeBunnyEngine(more.apply(SafeBunnyParts.builder(options, transport, timeline)
                        .store(persistence.store())
                        .outbox(persistence.outbox())
                        .breakers(new CircuitBreakers(NO_FAILURE_RATE, timeline, workers)))
                .build());
    }

    private static CachingConnectionFactory factory(NodeAddress address, String purpose) {
        com.rabbitmq.client.ConnectionFactory client = new com.rabbitmq.client.ConnectionFactory();
        client.setAutomaticRecoveryEnabled(false);
        client.setConnectionTimeout(5_000);
        client.setRequestedHeartbeat(10);
        CachingConnectionFactory factory = new CachingConnectionFactory(client);
        factory.setUri(URI.create(address.broker()));
        factory.setConnectionNameStrategy(ignored -> address.node() + purpose);
        return factory;
    }

    Duration lease() {
        return lease;
    }

    public Bunny bunny() {
        return engine.bunny();
    }

    /** A handler with one delayed retry and none in memory. */
    public static HandlerDefinition handler(Class<?> type, String from, HandlerInvoker handler) {
        return new HandlerDefinition(
                "crash test",
                type.getSimpleName(),
                type,
                List.of(from),
                PREFETCH,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(1, RETRY_DELAY)),
                handler);
    }

    /** The same; messages that wait are handled together, all by one thread. */
    public static HandlerDefinition groupHandler(Class<?> type, String from, boolean isBatch, HandlerInvoker handler) {
        return new HandlerDefinition(
                "crash test",
                type.getSimpleName(),
                type,
                List.of(from),
                GROUP,
                isBatch ? Grouping.inBatch(GROUP) : Grouping.inTransaction(GROUP),
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(1, RETRY_DELAY)),
                handler);
    }

    public Sagas sagas() {
        return engine.get(Sagas.class);
    }

    /** Once it is started. */
    public PoisonMessages poisonMessages() {
        return engine.get(PoisonMessages.class);
    }

    /** Of a node that keeps some. */
    public ScheduledMessages scheduledMessages() {
        return engine.get(ScheduledMessages.class);
    }

    public void start(List<HandlerDefinition> handlers) {
        start(handlers, List.of());
    }

    public void start(List<HandlerDefinition> handlers, List<SagaDefinition> sagas) {
        engine.start(handlers, sagas);
    }

    /** Stops it as an application does on SIGTERM. */
    @Override
    public void close() {
        engine.stop(GRACE);
        publish.destroy();
        consume.destroy();
        deadLetters.destroy();
        workers.shutdownNow();
    }

    @Override
    public String toString() {
        return address.node();
    }
}
