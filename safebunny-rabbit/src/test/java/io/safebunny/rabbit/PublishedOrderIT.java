// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.message.Headers;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.test.leaks.LeakCheck;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The order on the broker of what several threads publish without waiting, seen by a plain consumer. */
@Timeout(120)
class PublishedOrderIT {

    @RegisterExtension
    static final LeakCheck LEAKS = RabbitBench.leaks();

    /** What is published. */
    record Numbered(int number) {}

    private static final String NUMBER = "number";
    private static final int THREADS = 4;
    private static final int KEYS_OF_EACH = 3;
    private static final int OF_EACH_KEY = 1_500;

    private final RabbitBench rabbit = new RabbitBench();
    private final SystemTimeline timeline = new SystemTimeline("published-order");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String node = "published-" + UUID.randomUUID().toString().substring(0, 8);
    private final String queue = node + "-seen";

    private final SafeBunnyEngine engine =
            new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(node), rabbit.transport(node), timeline)
                    .build());

    /** The numbers of each key's messages, as they have arrived. */
    private final Map<String, List<Integer>> arrived = new ConcurrentHashMap<>();

    private final AtomicInteger all = new AtomicInteger();

    @AfterEach
    void cleanUp() {
        engine.stop(Duration.ofSeconds(10));
        rabbit.onBroker(channel -> channel.queueDelete(queue));
        rabbit.deleteQueues(node);
        threads.shutdownNow();
        timeline.close();
        rabbit.close();
    }

    /** Each thread publishes with keys of its own, in turn. */
    @Test
    void messagesOfOneKeyArriveAsTheyWerePublishedWithoutWaiting() throws Exception {
        try (Connection connection = rabbit.client().newConnection("seeing")) {
            begin(connection);

            List<Future<List<CompletableFuture<Published>>>> publishers = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                String own = "t" + thread + "-";
                publishers.add(threads.submit(() -> publishAll(own)));
            }

            confirmed(publishers);
            awaitAllInOrder(THREADS * KEYS_OF_EACH);
        }
    }

    /** The threads take turns: each of the key's messages is published by another thread than the one before, when that has returned. */
    @Test
    void anOrderBetweenThreadsCounts() throws Exception {
        try (Connection connection = rabbit.client().newConnection("seeing")) {
            begin(connection);

            List<Future<List<CompletableFuture<Published>>>> publishers = new ArrayList<>();
            for (int key = 0; key < KEYS_OF_EACH; key++) {
                String own = "k" + key;
                AtomicInteger next = new AtomicInteger();
                for (int thread = 0; thread < 2; thread++) {
                    publishers.add(threads.submit(() -> publishInTurns(own, next)));
                }
            }

            confirmed(publishers);
            awaitAllInOrder(KEYS_OF_EACH);
        }
    }

    private void begin(Connection connection) throws Exception {
        engine.start(List.of());
        Channel channel = connection.createChannel();
        channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
        channel.queueBind(queue, TopologyOptions.defaults().mainExchange(), node + "-Numbered");
        channel.basicConsume(queue, true, new DefaultConsumer(channel) {
            @Override
            public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
                Map<String, Object> headers = properties.getHeaders();
                arrived.computeIfAbsent(
                                String.valueOf(headers.get(Headers.ORDER_KEY)),
                                key -> Collections.synchronizedList(new ArrayList<>()))
                        .add((Integer) headers.get(NUMBER));
                all.incrementAndGet();
            }
        });
    }

    private CompletableFuture<Published> publish(String key, int number) {
        return engine.bunny()
                .publishAsync(
                        new Numbered(number),
                        PublishOptions.none().withOrderKey(key).withHeader(NUMBER, number));
    }

    private List<CompletableFuture<Published>> publishAll(String own) {
        List<CompletableFuture<Published>> sent = new ArrayList<>();
        for (int number = 0; number < OF_EACH_KEY; number++) {
            for (int key = 0; key < KEYS_OF_EACH; key++) {
                sent.add(publish(own + key, number));
            }
        }
        return sent;
    }

    private List<CompletableFuture<Published>> publishInTurns(String key, AtomicInteger next) {
        List<CompletableFuture<Published>> sent = new ArrayList<>();
        while (true) {
            synchronized (next) {
                int number = next.getAndIncrement();
                if (number >= OF_EACH_KEY) {
                    return sent;
                }
                sent.add(publish(key, number));
            }
        }
    }

    private static void confirmed(List<Future<List<CompletableFuture<Published>>>> publishers)
            throws InterruptedException, ExecutionException, TimeoutException {
        for (Future<List<CompletableFuture<Published>>> publisher : publishers) {
            CompletableFuture<?>[] sent = publisher.get(60, TimeUnit.SECONDS).toArray(CompletableFuture[]::new);
            assertThat(CompletableFuture.allOf(sent)).succeedsWithin(Duration.ofSeconds(30));
        }
    }

    private void awaitAllInOrder(int keys) {
        await().atMost(Duration.ofSeconds(60)).until(() -> all.get() >= keys * OF_EACH_KEY);
        List<Integer> inOrder = IntStream.range(0, OF_EACH_KEY).boxed().toList();
        assertThat(arrived)
                .hasSize(keys)
                .allSatisfy((key, numbers) -> assertThat(numbers).as(key).isEqualTo(inOrder));
    }
}
