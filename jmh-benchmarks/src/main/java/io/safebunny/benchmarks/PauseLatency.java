// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.safebunny.Bunny;
import io.safebunny.Published;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.rabbit.BrokerConnections;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.rabbit.RabbitTransportOptions;
import io.safebunny.time.SystemTimeline;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/**
 * Measures, under load, the time from opening a type's circuit breaker to the last handled message, and from closing it to the
 * first. Arguments: {@code amqp://… [pauses]}.
 */
public final class PauseLatency {

    private static final String NODE = "bench.pause";
    private static final Duration QUIET = Duration.ofMillis(200);
    private static final int BACKLOG = 50_000;

    private PauseLatency() {}

    /** A message with next to nothing in it. */
    public record Tick(int number) {}

    public static void main(String[] arguments) throws Exception {
        int pauses = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50;
        com.rabbitmq.client.ConnectionFactory client = new com.rabbitmq.client.ConnectionFactory();
        client.setUri(URI.create(arguments[0]));
        client.setAutomaticRecoveryEnabled(false);
        ExecutorService workers = Executors.newCachedThreadPool();
        try (SystemTimeline timeline = new SystemTimeline("pause")) {
            measure(client, workers, timeline, pauses);
        } finally {
            workers.shutdownNow();
        }
    }

    private static void measure(
            com.rabbitmq.client.ConnectionFactory client, ExecutorService workers, SystemTimeline timeline, int pauses)
            throws InterruptedException {
        CachingConnectionFactory publish = new CachingConnectionFactory(client);
        CachingConnectionFactory consume = new CachingConnectionFactory(client);
        CachingConnectionFactory deadLetters = new CachingConnectionFactory(client);
        CircuitBreakers breaker = new CircuitBreakers(BreakerSettings.defaults(), timeline, workers);
        RabbitTransport transport = new RabbitTransport(
                RabbitTransportOptions.defaults(),
                new BrokerConnections(publish, consume, deadLetters),
                workers,
                timeline);
        SafeBunnyEngine engine =
                new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(NODE), transport, timeline)
                        .breakers(breaker)
                        .build());
        AtomicLong last = new AtomicLong();
        AtomicLong first = new AtomicLong();
        AtomicLong handled = new AtomicLong();
        engine.start(List.of(new HandlerDefinition(
                "pause",
                "Tick",
                Tick.class,
                List.of(NODE),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {
                    long now = timeline.nanoTime();
                    last.set(now);
                    first.compareAndSet(0, now);
                    handled.incrementAndGet();
                })));
        List<Double> toLast = new ArrayList<>();
        List<Double> toFirst = new ArrayList<>();
        for (int pause = 0; pause < pauses; pause++) {
            if (pause % 10 == 0) {
                fill(engine.bunny());
            }
            long before = handled.get();
            while (handled.get() < before + 500) {
                timeline.sleep(Duration.ofMillis(1));
            }
            long opened = timeline.nanoTime();
            breaker.open(Tick.class, Duration.ofHours(1));
            do {
                timeline.sleep(QUIET);
            } while (timeline.nanoTime() - last.get() < QUIET.toNanos());
            toLast.add(Math.max(0, last.get() - opened) / 1e6);
            first.set(0);
            long closed = timeline.nanoTime();
            breaker.close(Tick.class);
            while (first.get() == 0) {
                timeline.sleep(Duration.ofMillis(1));
            }
            toFirst.add((first.get() - closed) / 1e6);
        }
        print("open to last message, ms", toLast);
        print("close to first message, ms", toFirst);
        engine.stop(Duration.ofSeconds(5));
        publish.destroy();
        consume.destroy();
        deadLetters.destroy();
    }

    private static void fill(Bunny bunny) {
        List<CompletableFuture<Published>> sent = new ArrayList<>();
        for (int i = 0; i < BACKLOG; i++) {
            sent.add(bunny.publishAsync(new Tick(i)));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
    }

    private static void print(String what, List<Double> values) {
        Collections.sort(values);
        System.out.printf(
                Locale.ROOT,
                "%-28s median %.2f  p95 %.2f  max %.2f%n",
                what,
                values.get(values.size() / 2),
                values.get(values.size() * 95 / 100),
                values.get(values.size() - 1));
    }
}
