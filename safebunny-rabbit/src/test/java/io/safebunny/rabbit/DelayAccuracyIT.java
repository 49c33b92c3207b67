// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When delayed messages come, while ten thousand others wait. */
@Timeout(240)
class DelayAccuracyIT {

    private static final int WAITING = 10_000;
    private static final int PROBES = 300;

    /** Of docs/guarantees.md. */
    private static final Duration PROMISED = Duration.ofSeconds(1);

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "delays." + UUID.randomUUID().toString().substring(0, 8);
    private final Topology topology =
            TopologyPlanner.plan(node, List.of(new Subscription("Ping", List.of(node))), TopologyOptions.defaults());
    private final Map<String, Long> arrived = new ConcurrentHashMap<>();
    private final Random random = new Random(7);

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Ping");
        rabbit.onBroker(channel -> {
            for (int rung = 4; rung <= 34; rung++) {
                channel.queueDelete("safebunny.delayed." + (rung < 10 ? "0" + rung : rung));
            }
        });
        rabbit.close();
    }

    @Test
    void neverEarlyAndNotHeldBackByTenThousandThatWaitLonger() {
        try (RabbitTransport transport = rabbit.transport(node)) {
            transport.start(topology);
            transport.consume(node + "-Ping", 50, delivery -> {
                arrived.put(String.valueOf(delivery.message().message().messageId()), System.nanoTime());
                delivery.acknowledge();
            });
            List<CompletableFuture<Void>> waiting = new ArrayList<>();
            for (int i = 0; i < WAITING; i++) {
                waiting.add(transport.send(
                        message("waiting-" + i, Duration.ofSeconds(600 + random.nextInt(3_000))), rabbit.deadline()));
            }
            assertThat(CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)))
                    .succeedsWithin(Duration.ofSeconds(60));

            Map<String, Long> due = new ConcurrentHashMap<>();
            for (int i = 0; i < PROBES; i++) {
                Duration delay = Duration.ofMillis(1 + random.nextInt(4_000));
                String id = "probe-" + i;
                due.put(id, System.nanoTime() + delay.toNanos());
                assertThat(transport.send(message(id, delay), rabbit.deadline()))
                        .succeedsWithin(Duration.ofSeconds(10));
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> arrived.size() == PROBES);

            assertThat(due).allSatisfy((id, time) -> assertThat(Duration.ofNanos(arrived.getOrDefault(id, 0L) - time))
                    .as("late by")
                    .isGreaterThanOrEqualTo(Duration.ZERO)
                    .isLessThan(PROMISED));
        }
    }

    private OutboundMessage message(String id, Duration delay) {
        return RabbitBench.message(node, id, new Route.ToQueue(node + "-Ping"), delay);
    }
}
