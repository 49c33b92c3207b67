// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.RabbitNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The broker dies while messages wait on the ladder. */
@Timeout(180)
class DelaySurvivalIT {

    private static final int MESSAGES = 300;
    /** So long that none has left its first rung when the broker is killed: what is between two rungs then may wait for minutes. */
    private static final Duration SHORTEST = Duration.ofSeconds(20);

    private static final Duration A_YEAR = Duration.ofDays(365);

    @Test
    void losesNoWaitingMessageAndDeliversNoneEarlyWhenTheBrokerIsKilled() {
        assumeThat(RabbitNode.installedRoot()).as("an installed server").isPresent();
        Map<String, Long> arrived = new ConcurrentHashMap<>();
        try (RabbitNode broker = RabbitNode.start()) {
            InstanceOptions options = new InstanceOptions("waits", broker.broker(), 50, 20, Duration.ZERO, true);
            try (NodeUnderTest node = NodeUnderTest.start(
                    options, (payload, context) -> arrived.putIfAbsent(((Job) payload).id(), System.nanoTime()))) {
                assertThat(queues(broker)).noneMatch(queue -> queue.startsWith("safebunny.delayed"));
                Map<String, Long> due = publish(node);
                node.bunny()
                        .publish(
                                new Job("next-year", false),
                                PublishOptions.none().withDelay(A_YEAR));
                Set<String> rungs = rungs(broker);
                assertThat(rungs).contains("safebunny.delayed.34").doesNotContain("safebunny.delayed.31");
                rungs.forEach(rung -> broker.awaitRegistered("/", rung));
                broker.awaitRegistered("/", "waits-Job");

                broker.kill();
                broker.restart();

                await().atMost(Duration.ofSeconds(90)).until(() -> arrived.size() == MESSAGES);
                assertThat(due).allSatisfy((id, time) -> assertThat(arrived.getOrDefault(id, 0L) - time)
                        .as("nanoseconds after its time")
                        .isNotNegative());
                assertThat(broker.control("-q", "list_queues", "name", "messages"))
                        .containsPattern("safebunny\\.delayed\\.34\\s+1");
            }
        }
    }

    private static Map<String, Long> publish(NodeUnderTest node) {
        Random random = new Random(11);
        Map<String, Long> due = new ConcurrentHashMap<>();
        List<CompletableFuture<Published>> sent = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            Duration delay = SHORTEST.plusMillis(random.nextInt(15_000));
            due.put("job-" + i, System.nanoTime() + delay.toNanos());
            sent.add(node.bunny()
                    .publishAsync(
                            new Job("job-" + i, false), PublishOptions.none().withDelay(delay)));
        }
        assertThat(CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)))
                .succeedsWithin(Duration.ofSeconds(30));
        return due;
    }

    private static Set<String> queues(RabbitNode broker) {
        return broker.control("-q", "list_queues", "name")
                .lines()
                .map(String::strip)
                .collect(Collectors.toSet());
    }

    private static Set<String> rungs(RabbitNode broker) {
        return queues(broker).stream()
                .filter(queue -> queue.startsWith("safebunny.delayed"))
                .collect(Collectors.toSet());
    }
}
