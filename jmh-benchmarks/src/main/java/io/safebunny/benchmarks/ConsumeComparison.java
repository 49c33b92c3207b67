// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.engine.SafeBunnyOptions;
import io.safebunny.engine.SafeBunnyParts;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.rabbit.RabbitTransport;
import io.safebunny.transport.rabbit.RabbitTransportOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * Messages per second out of one prepared quorum queue, alternately by SafeBunny and by a plain {@code @RabbitListener} of equal
 * concurrency (as many consumers, one message each) and with one consumer of the same prefetch. Arguments:
 * {@code amqp://… [messages] [prefetch] [rounds]}.
 */
public final class ConsumeComparison {

    private static final String PREFIX = "sb-bench";
    private static final String QUEUE = "bench-Ping";

    private final CachingConnectionFactory connections;
    private final int messages;
    private final int prefetch;
    private final SystemTimeline timeline = new SystemTimeline("benchmark");
    private final ExecutorService workers = Executors.newCachedThreadPool();

    ConsumeComparison(URI broker, int messages, int prefetch) {
        com.rabbitmq.client.ConnectionFactory client = new com.rabbitmq.client.ConnectionFactory();
        try {
            client.setUri(broker);
        } catch (java.security.GeneralSecurityException | java.net.URISyntaxException e) {
            throw new IllegalArgumentException("Not an AMQP URI", e);
        }
        client.setAutomaticRecoveryEnabled(false);
        this.connections = new CachingConnectionFactory(client);
        this.messages = messages;
        this.prefetch = prefetch;
    }

    /** What a message of 965 bytes looks like. */
    public record Ping(String id, long number, List<String> lines) {}

    public static void main(String[] arguments) throws Exception {
        int messages = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20_000;
        int prefetch = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 10;
        int rounds = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 5;
        ConsumeComparison comparison = new ConsumeComparison(URI.create(arguments[0]), messages, prefetch);
        try {
            compare(comparison, prefetch, rounds).forEach(ConsumeComparison::print);
        } finally {
            comparison.close();
        }
    }

    private static Map<String, List<Double>> compare(ConsumeComparison comparison, int prefetch, int rounds)
            throws Exception {
        Map<String, List<Double>> results = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) {
            double safeBunny = comparison.measure(comparison::safeBunny);
            double equalConcurrency = comparison.measure(done -> comparison.listener(done, prefetch, 1));
            double onePrefetching = comparison.measure(done -> comparison.listener(done, 1, prefetch));
            if (round > 0) { // the first warms up
                add(results, "SafeBunny", safeBunny);
                add(results, "@RabbitListener, equal concurrency", equalConcurrency);
                add(results, "@RabbitListener, one consumer", onePrefetching);
                add(results, "ratio to equal concurrency", safeBunny / equalConcurrency);
                add(results, "ratio to one consumer", safeBunny / onePrefetching);
            }
        }
        return results;
    }

    static void add(Map<String, List<Double>> results, String name, double value) {
        results.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }

    static void print(String name, List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        String format = sorted[0] > 100 ? "%.0f" : "%.2f";
        System.out.printf(
                Locale.ROOT,
                "%-36s median " + format + "  min " + format + "  max " + format + "%n",
                name,
                sorted[sorted.length / 2],
                sorted[0],
                sorted[sorted.length - 1]);
    }

    void close() {
        connections.destroy();
        workers.shutdown();
        timeline.close();
    }

    /** Consumes until the latch is down, and returns how to stop. */
    interface Contender {
        Runnable start(CountDownLatch done) throws Exception;
    }

    double measure(Contender contender) throws Exception {
        fill();
        CountDownLatch done = new CountDownLatch(messages);
        long begin = timeline.nanoTime();
        Runnable stop = contender.start(done);
        if (!done.await(120, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Not all messages arrived in two minutes; missing " + done.getCount());
        }
        double seconds = (timeline.nanoTime() - begin) / 1e9;
        stop.run();
        return messages / seconds;
    }

    private Runnable safeBunny(CountDownLatch done) {
        return safeBunny(done, null);
    }

    SystemTimeline timeline() {
        return timeline;
    }

    Runnable safeBunny(CountDownLatch done, @Nullable MessageStore store) {
        SafeBunnyEngine engine = engine(store);
        engine.start(List.of(handler(done)));
        return () -> engine.stop(Duration.ofSeconds(10));
    }

    private SafeBunnyEngine engine(@Nullable MessageStore store) {
        TopologyOptions topology = new TopologyOptions(PREFIX, QueueType.QUORUM, 20, null);
        RabbitTransport transport = new RabbitTransport(
                RabbitTransportOptions.defaults(),
                new CachingConnectionFactory(connections.getRabbitConnectionFactory()),
                new CachingConnectionFactory(connections.getRabbitConnectionFactory()),
                workers,
                timeline);
        SafeBunnyOptions options = new SafeBunnyOptions(
                "bench", topology, Duration.ofSeconds(30), 1000, 10L << 20, Duration.ofDays(7), Duration.ofSeconds(30));
        return new SafeBunnyEngine(SafeBunnyParts.of(options, transport, store, timeline));
    }

    private HandlerDefinition handler(CountDownLatch done) {
        return new HandlerDefinition(
                "bench.on(Ping)",
                "Ping",
                Ping.class,
                List.of("bench"),
                prefetch,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> done.countDown());
    }

    private Runnable listener(CountDownLatch done, int concurrency, int perConsumer) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean("listener", PlainListener.class, () -> new PlainListener(done));
        context.registerBean("rabbitListenerContainerFactory", SimpleRabbitListenerContainerFactory.class, () -> {
            SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
            factory.setConnectionFactory(connections);
            factory.setConcurrentConsumers(concurrency);
            factory.setPrefetchCount(perConsumer);
            factory.setMessageConverter(new JacksonJsonMessageConverter());
            return factory;
        });
        context.register(ListenerConfiguration.class);
        context.refresh();
        return context::close;
    }

    /** Switches the annotation on. */
    @Configuration(proxyBeanMethods = false)
    @EnableRabbit
    static class ListenerConfiguration {}

    /** What one writes without SafeBunny. */
    static final class PlainListener {
        private final CountDownLatch done;

        PlainListener(CountDownLatch done) {
            this.done = done;
        }

        @RabbitListener(queues = QUEUE)
        public void on(Ping ping) {
            if (ping.lines().isEmpty()) {
                throw new IllegalStateException("The message was not read");
            }
            done.countDown();
        }
    }

    private void fill() throws Exception {
        SafeBunnyEngine declaring = engine(null);
        declaring.start(List.of(handler(new CountDownLatch(0))));
        declaring.stop(Duration.ofSeconds(10));
        byte[] body = ("{\"id\":\"order-42\",\"number\":7,\"lines\":["
                        + String.join(",", Collections.nCopies(20, "\"forty bytes of text for one line of it\""))
                        + "]}")
                .getBytes(StandardCharsets.UTF_8);
        org.springframework.amqp.rabbit.connection.Connection spring = connections.createConnection();
        Connection connection = spring.getDelegate();
        if (connection == null) {
            throw new IllegalStateException("No connection");
        }
        try (Channel channel = connection.createChannel()) {
            channel.confirmSelect();
            for (int i = 0; i < messages; i++) {
                channel.basicPublish("", QUEUE, properties(i), body);
                if (i % 1000 == 999) {
                    channel.waitForConfirmsOrDie(30_000);
                }
            }
            channel.waitForConfirmsOrDie(30_000);
        }
    }

    private static BasicProperties properties(int index) {
        return new BasicProperties.Builder()
                .messageId("bench-" + index)
                .correlationId("bench")
                .type("Ping")
                .appId("bench")
                .contentType("application/json")
                .deliveryMode(2)
                .headers(Map.of("sb-marker", 1, "sb-attempt", 0))
                .build();
    }
}
