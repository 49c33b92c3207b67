// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.message.WireMessage;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.topology.TopologyPlanner;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.rabbit.RabbitTransport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to one queue must not happen to the others. */
@Timeout(90)
class QueueTroubleIT {

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "trouble." + UUID.randomUUID().toString().substring(0, 8);
    private final Topology topology = TopologyPlanner.plan(
            node,
            List.of(new Subscription("Ping", List.of(node)), new Subscription("Pong", List.of(node))),
            TopologyOptions.defaults());
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final DeliveryHandler handler = delivery -> {
        handled.add(String.valueOf(delivery.message().message().messageId()));
        delivery.acknowledge();
    };

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Ping", "Pong");
        rabbit.onBroker(channel -> channel.queuePurge("safebunny.unrouted"));
        rabbit.close();
    }

    @Test
    void declaresADeletedQueueAgainAndKeepsConsumingTheOthers() {
        try (RabbitTransport transport = rabbit.transport(node)) {
            transport.start(topology);
            transport.consume(node + "-Ping", 10, handler);
            transport.consume(node + "-Pong", 10, handler);
            rabbit.onBroker(channel -> channel.queueDelete(node + "-Ping"));

            send(transport, "pong-1", "Pong", Duration.ZERO);
            await().atMost(Duration.ofSeconds(20)).until(() -> handled.contains("pong-1"));
            await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(() -> {
                send(transport, "ping-1", "Ping", Duration.ZERO);
                assertThat(handled).contains("ping-1");
            });
            assertThat(transport.status().usable()).isTrue();
            send(transport, "pong-2", "Pong", Duration.ZERO);
            await().atMost(Duration.ofSeconds(20)).until(() -> handled.contains("pong-2"));
        }
    }

    /** The broker's dead-letter worker holds 32 messages and waits three minutes before it tries one again. */
    @Test
    void delayedMessagesNobodyTakesDoNotHoldTheOthersAndAreKept() {
        try (RabbitTransport transport = rabbit.transport(node)) {
            transport.start(topology);
            transport.consume(node + "-Ping", 10, handler);
            List<CompletableFuture<Void>> lost = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                lost.add(transport.send(message("lost-" + i, "Nobody", Duration.ofMillis(16))));
            }
            assertThat(lost).allSatisfy(future -> assertThat(future).succeedsWithin(Duration.ofSeconds(20)));

            send(transport, "ping-1", "Ping", Duration.ofMillis(16));

            await().atMost(Duration.ofSeconds(20)).until(() -> handled.contains("ping-1"));
            AtomicInteger kept = new AtomicInteger();
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                rabbit.onBroker(channel -> kept.set((int) channel.messageCount("safebunny.unrouted")));
                return kept.get() >= 100;
            });
        }
    }

    @Test
    void goesOnWhenThereIsNoThreadNowAndThen() {
        AtomicInteger tasks = new AtomicInteger();
        try (RabbitTransport transport = rabbit.transport(node, task -> {
            if (tasks.incrementAndGet() % 4 == 3) {
                throw new OutOfMemoryError("unable to create native thread (simulated)");
            }
            rabbit.workers().execute(task);
        })) {
            transport.start(topology);
            transport.consume(node + "-Ping", 10, handler);
            for (int i = 0; i < 10; i++) {
                send(transport, "ping-" + i, "Ping", Duration.ZERO);
            }

            await().atMost(Duration.ofSeconds(20)).until(() -> handled.size() == 10);
        }
    }

    private void send(RabbitTransport transport, String id, String type, Duration delay) {
        assertThat(transport.send(message(id, type, delay))).succeedsWithin(Duration.ofSeconds(20));
    }

    private OutboundMessage message(String id, String type, Duration delay) {
        return new OutboundMessage(
                new WireMessage(
                        id,
                        "saga",
                        type,
                        node,
                        null,
                        "application/json",
                        null,
                        Map.of(),
                        "{}".getBytes(StandardCharsets.UTF_8)),
                new Route.Publication(node + "-" + type),
                delay);
    }
}
