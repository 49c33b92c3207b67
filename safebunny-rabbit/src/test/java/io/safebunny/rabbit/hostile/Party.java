// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.rabbit.BrokerConnections;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.rabbit.RabbitTransportOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** A node that keeps to the rules, with a store. */
final class Party implements AutoCloseable {

    /** Idle threads end soon, so that a test can count them. */
    private final ExecutorService workers =
            new ThreadPoolExecutor(0, 500, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task, "party");
                thread.setDaemon(true);
                return thread;
            });

    private final SystemTimeline timeline = new SystemTimeline("party");
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final CachingConnectionFactory publish;
    private final CachingConnectionFactory consume;
    private final CachingConnectionFactory deadLetters;
    private final SafeBunnyEngine engine;

    Party(VirtualHost host, String node, Function<Bunny, List<HandlerDefinition>> handlers) {
        publish = factory(host, node + ":publish");
        consume = factory(host, node + ":consume");
        deadLetters = factory(host, node + ":dead-letters");
        RabbitTransport transport = new RabbitTransport(
                RabbitTransportOptions.defaults(),
                new BrokerConnections(publish, consume, deadLetters),
                workers,
                timeline);
        MessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
        engine = new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(node), transport, timeline)
                .store(store)
                .meterRegistry(meters)
                .build());
        engine.start(handlers.apply(engine.bunny()));
    }

    private static CachingConnectionFactory factory(VirtualHost host, String name) {
        CachingConnectionFactory factory = new CachingConnectionFactory(host.client());
        factory.setConnectionNameStrategy(ignored -> name);
        return factory;
    }

    Bunny bunny() {
        return engine.bunny();
    }

    boolean isUsable() {
        return engine.status().usable();
    }

    SafeBunnyEngine engine() {
        return engine;
    }

    /** The sum of the counters of this name that have the tag. */
    long count(String counter, String tag, String value) {
        return (long) meters.find(counter).tag(tag, value).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Override
    public void close() {
        engine.stop(Duration.ofSeconds(10));
        publish.destroy();
        consume.destroy();
        deadLetters.destroy();
        workers.shutdownNow();
        timeline.close();
    }
}
