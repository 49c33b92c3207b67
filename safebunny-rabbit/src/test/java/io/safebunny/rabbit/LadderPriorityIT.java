// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.message.WireMessage;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages with a priority in the ladder: they keep it, and hold nothing back. */
@Timeout(60)
class LadderPriorityIT {

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "urgent." + UUID.randomUUID().toString().substring(0, 8);
    private final Topology topology =
            TopologyPlanner.plan(node, List.of(new Subscription("Ping", List.of(node))), TopologyOptions.defaults());
    private final Map<String, WireMessage> arrived = new ConcurrentHashMap<>();
    private final Map<String, Long> at = new ConcurrentHashMap<>();

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Ping");
        rabbit.close();
    }

    /** One rung: 2,048 ms. The broker looks at the first by priority. */
    @Test
    void aLaterOneWithAHigherPriorityHoldsNobodyBack() {
        Duration rung = Duration.ofMillis(2_048);
        try (RabbitTransport transport = rabbit.transport(node)) {
            transport.start(topology);
            transport.consume(node + "-Ping", 10, delivery -> {
                String id = String.valueOf(delivery.message().message().messageId());
                at.put(id, System.nanoTime());
                arrived.put(id, delivery.message().message());
                delivery.acknowledge();
            });
            assertThat(transport.send(message("plain", null, rung), rabbit.deadline()))
                    .succeedsWithin(Duration.ofSeconds(10));
            long sent = System.nanoTime();
            await().pollDelay(Duration.ofMillis(1_500)).until(() -> true); // the rung holds the first all the while
            assertThat(transport.send(message("urgent", 9, rung), rabbit.deadline()))
                    .succeedsWithin(Duration.ofSeconds(10));
            await().atMost(Duration.ofSeconds(20)).until(() -> arrived.size() == 2);

            assertThat(Duration.ofNanos(at.getOrDefault("plain", 0L) - sent))
                    .as("delay of the first")
                    .isLessThan(rung.plusSeconds(1));
            assertThat(arrived.get("urgent")).extracting(WireMessage::priority).isEqualTo(9);
            assertThat(arrived.get("plain")).extracting(WireMessage::priority).isNull();
        }
    }

    private OutboundMessage message(String id, @Nullable Integer priority, Duration delay) {
        return new OutboundMessage(
                new WireMessage(
                        id,
                        "saga",
                        "Ping",
                        node,
                        null,
                        "application/json",
                        null,
                        priority,
                        Map.of(),
                        "{}".getBytes(StandardCharsets.UTF_8)),
                new Route.ToQueue(node + "-Ping"),
                delay);
    }
}
