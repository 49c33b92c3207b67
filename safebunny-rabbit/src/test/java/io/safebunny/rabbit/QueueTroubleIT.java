// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.message.WireMessage;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What happens to one queue must not happen to the others. */
@Timeout(90)
class QueueTroubleIT {

    private static final int MANY = 400;

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
                lost.add(transport.send(message("lost-" + i, "Nobody", Duration.ofMillis(16)), rabbit.deadline()));
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

    static Stream<Executor> goesOnWhenThereIsNoThreadNowAndThen() {
        return Stream.of(
                task -> {
                    throw new OutOfMemoryError("unable to create native thread (simulated)");
                },
                task -> {
                    throw new StackOverflowError("simulated");
                },
                task -> {
                    throw new IllegalStateException("simulated");
                });
    }

    @ParameterizedTest
    @MethodSource
    void goesOnWhenThereIsNoThreadNowAndThen(Executor refusing) {
        AtomicInteger tasks = new AtomicInteger();
        try (RabbitTransport transport = rabbit.transport(node, task -> {
            if (tasks.incrementAndGet() % 4 == 3) {
                refusing.execute(task);
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

    /** With one thread, which is busy with the first of them. */
    @Test
    void whatWasDeliveredIsHandledBeforeTheEndOfStopping() {
        CountDownLatch stopping = new CountDownLatch(1);
        ExecutorService one = Executors.newSingleThreadExecutor();
        try (RabbitTransport transport = rabbit.transport(node, one)) {
            transport.start(topology);
            for (int i = 0; i < 11; i++) {
                send(transport, "ping-" + i, "Ping", Duration.ZERO);
            }
            AtomicInteger begun = new AtomicInteger();
            Consumption consumption = transport.consume(
                    node + "-Ping",
                    10,
                    after(() -> begun.incrementAndGet() == 1 || stopping.await(20, TimeUnit.SECONDS)));
            awaitReady(0);

            CompletableFuture<Void> stopped = consumption.stop();
            assertThat(stopped).isNotDone();
            stopping.countDown();

            assertThat(stopped).succeedsWithin(Duration.ofSeconds(20));
            assertThat(handled).hasSize(11);
            assertThat(ready()).isZero(); // nothing came back
        } finally {
            one.shutdownNow();
        }
    }

    /** A worker that goes on for as long as its own queue has messages would leave no turn to the other one. */
    @Test
    void queuesThatShareOneThreadTakeTurns() {
        CountDownLatch pong = new CountDownLatch(1);
        AtomicInteger pingsBefore = new AtomicInteger(-1);
        ExecutorService one = Executors.newSingleThreadExecutor();
        try (RabbitTransport transport = rabbit.transport(node, one)) {
            transport.start(topology);
            for (int i = 0; i < MANY; i++) {
                send(transport, "ping-" + i, "Ping", Duration.ZERO);
            }
            send(transport, "pong", "Pong", Duration.ZERO);
            transport.consume(
                    node + "-Ping", 10, after(() -> pong.await(20, TimeUnit.MILLISECONDS))); // works for so long
            transport.consume(node + "-Pong", 10, delivery -> {
                pingsBefore.set(handled.size());
                handler.handle(delivery);
                pong.countDown();
            });

            await().atMost(Duration.ofSeconds(60)).until(() -> handled.size() == MANY + 1);
        } finally {
            one.shutdownNow();
        }
        assertThat(pingsBefore.get()).isBetween(0, MANY / 2);
    }

    /** Each waits for all the others. */
    @Test
    void asManyAsPrefetchAllowsAreHandledAtOnce() {
        CyclicBarrier all = new CyclicBarrier(10);
        AtomicBoolean isFirst = new AtomicBoolean(true); // a new consumer takes one to begin with
        try (RabbitTransport transport = rabbit.transport(node)) {
            transport.start(topology);
            send(transport, "first", "Ping", Duration.ZERO);
            for (int i = 0; i < 30; i++) {
                send(transport, "ping-" + i, "Ping", Duration.ZERO);
            }
            transport.consume(
                    node + "-Ping", 10, after(() -> isFirst.getAndSet(false) ? 0 : all.await(20, TimeUnit.SECONDS)));

            await().atMost(Duration.ofSeconds(20)).until(() -> handled.size() == 31);
        }
    }

    /** Nobody else comes to take it. */
    @Test
    void aDeliveryThatHadToWaitForTheOneBeforeItIsHandled() {
        AtomicInteger ready = new AtomicInteger(2);
        try (RabbitTransport transport = rabbit.transport(node)) {
            transport.start(topology);
            for (int i = 0; i < 3; i++) {
                send(transport, "ping-" + i, "Ping", Duration.ZERO);
            }
            transport.consume(node + "-Ping", 1, delivery -> {
                delivery.acknowledge();
                awaitReady(Math.max(0, ready.decrementAndGet())); // the next one came
                handled.add(String.valueOf(delivery.message().message().messageId()));
            });

            await().atMost(Duration.ofSeconds(20)).until(() -> handled.size() == 3);
        }
    }

    private void awaitReady(int messages) {
        await().atMost(Duration.ofSeconds(20)).until(() -> ready() == messages);
    }

    private int ready() {
        AtomicInteger found = new AtomicInteger();
        rabbit.onBroker(channel -> found.set((int) channel.messageCount(node + "-Ping")));
        return found.get();
    }

    private DeliveryHandler after(Callable<?> work) {
        return delivery -> {
            try {
                work.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            handler.handle(delivery);
        };
    }

    private void send(RabbitTransport transport, String id, String type, Duration delay) {
        assertThat(transport.send(message(id, type, delay), rabbit.deadline())).succeedsWithin(Duration.ofSeconds(20));
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
                new Route.ToSubscribers(node + "-" + type),
                delay);
    }
}
