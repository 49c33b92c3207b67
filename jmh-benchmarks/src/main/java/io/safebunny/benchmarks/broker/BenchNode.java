// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.broker;

import io.safebunny.Bunny;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.rabbit.BrokerConnections;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.rabbit.RabbitTransportOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.time.SystemTimeline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** A node with the starter's defaults, without Spring Boot. */
public final class BenchNode implements AutoCloseable {

    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int DELIVERY_LIMIT = 20;
    private static final String THREADS = "safebunny-";

    private final SystemTimeline timeline = new SystemTimeline("bench");
    private final Executor workers;
    private final CachingConnectionFactory publish;
    private final CachingConnectionFactory consume;
    private final CachingConnectionFactory deadLetters;
    private final SafeBunnyEngine engine;

    private BenchNode(
            BenchBroker broker,
            String node,
            Executor workers,
            Function<Timeline, ? extends @Nullable MessageStore> store,
            BiFunction<Timeline, Executor, ? extends @Nullable Outbox> outbox) {
        this.workers = workers;
        publish = broker.spring();
        consume = broker.spring();
        deadLetters = broker.spring();
        RabbitTransport transport = new RabbitTransport(
                RabbitTransportOptions.defaults(),
                new BrokerConnections(publish, consume, deadLetters),
                workers,
                timeline);
        SafeBunnyOptions options = SafeBunnyOptions.of(node)
                .withTopology(TopologyOptions.defaults()
                        .withPrefix(BenchBroker.EXCHANGE)
                        .withDeliveryLimit(DELIVERY_LIMIT));
        engine = new SafeBunnyEngine(SafeBunnyParts.builder(options, transport, timeline)
                .store(store.apply(timeline))
                .outbox(outbox.apply(timeline, workers))
                .build());
    }

    public static BenchNode withoutStore(BenchBroker broker, String node) {
        return new BenchNode(broker, node, platformThreads(), timeline -> null, (timeline, workers) -> null);
    }

    /** Without a store, and with a virtual thread for each message, as in the starter; needs Java 21. */
    public static BenchNode onVirtualThreads(BenchBroker broker, String node) {
        SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor(THREADS);
        threads.setVirtualThreads(true);
        return new BenchNode(broker, node, threads, timeline -> null, (timeline, workers) -> null);
    }

    private static ExecutorService platformThreads() {
        return Executors.newCachedThreadPool(new CustomizableThreadFactory(THREADS));
    }

    /** @param store creates the store with the node's timeline */
    public static BenchNode withStore(BenchBroker broker, String node, Function<Timeline, MessageStore> store) {
        return new BenchNode(broker, node, platformThreads(), store, (timeline, workers) -> null);
    }

    /** @param outbox creates the outbox with the node's timeline and threads */
    public static BenchNode withOutbox(BenchBroker broker, String node, BiFunction<Timeline, Executor, Outbox> outbox) {
        return new BenchNode(broker, node, platformThreads(), timeline -> null, outbox);
    }

    public void start(List<HandlerDefinition> handlers) {
        engine.start(handlers);
    }

    public void start(List<HandlerDefinition> handlers, List<SagaDefinition> sagas) {
        engine.start(handlers, sagas);
    }

    public Bunny bunny() {
        return engine.bunny();
    }

    @Override
    public void close() {
        engine.stop(GRACE);
        publish.destroy();
        consume.destroy();
        deadLetters.destroy();
        if (workers instanceof ExecutorService pool) {
            pool.shutdown();
        }
        timeline.close();
    }
}
