// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.operations.NodeCondition;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.OtherInstances.Operation;
import io.safebunny.poison.OtherInstances.OtherInstance;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two instances of a node on a real broker: one holds copies, and the other one knows it. */
@Timeout(120)
@Tag("once")
class OtherInstancesIT {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final String node = "shop." + UUID.randomUUID().toString().substring(0, 8);
    private final String poison = node + "-poison";
    private final RabbitBench rabbit = new RabbitBench();

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Job");
        rabbit.close();
    }

    private NodeUnderTest start() {
        return NodeUnderTest.startWith(
                new InstanceOptions(node, TestBroker.shared(), 10, 20, Duration.ZERO, true),
                bunny -> List.of(new HandlerDefinition(
                        "Job",
                        "Job",
                        Job.class,
                        List.of(node),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> {
                            throw new IllegalStateException("no gateway");
                        })));
    }

    private long waiting() {
        long[] count = {0};
        rabbit.onBroker(channel -> count[0] = channel.messageCount(poison));
        return count[0];
    }

    private NodeCondition now(NodeUnderTest instance) {
        return ((QueuePoisonMessages) instance.poisonMessages()).setAside().condition(poison);
    }

    private static OtherInstance only(OtherInstances others) {
        assertThat(others.problem()).isNull();
        assertThat(others.instances()).hasSize(1);
        return others.instances().get(0);
    }

    @Test
    void whatOneInstanceHoldsIsKnownAtTheOtherOneUntilItIsGone() {
        try (NodeUnderTest looking = start()) {
            NodeUnderTest moving = start();
            try {
                List<String> ids = new ArrayList<>();
                for (int i = 1; i <= 3; i++) {
                    ids.add(moving.bunny().publish(new Job("job-" + i, false)).messageId());
                    int all = i;
                    await().atMost(SOON).until(() -> waiting() == all); // in this order
                }
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(now(looking).words()).contains("3 messages are set aside"));

                // keeps the first one, moves the second one, and waits before it takes the third one
                PoisonOperation operation = moving.poisonMessages()
                        .discard(PoisonRequest.of(
                                        PoisonFilter.all().withMessageIds(Set.copyOf(ids.subList(1, 3))),
                                        "annabel",
                                        "they are too old")
                                .atRate(1 / 600.0));
                await().atMost(SOON).until(() -> operation.progress().moved() == 1);
                await().atMost(SOON).until(() -> waiting() == 1);

                await().atMost(SOON).untilAsserted(() -> {
                    OtherInstance other = only(looking.poisonMessages().atOtherInstances());
                    assertThat(other.instance()).isEqualTo(moving.operations().instance());
                    assertThat(other.silence()).isNull();
                    assertThat(other.operations()).hasSize(1);
                    Operation told = other.operations().get(0);
                    assertThat(told.id()).isEqualTo(operation.id());
                    assertThat(told.kind()).isEqualTo(Kind.DISCARD);
                    assertThat(told.state()).isEqualTo(RunState.RUNNING);
                    assertThat(told.moved()).isEqualTo(1);
                    assertThat(told.held()).isEqualTo(1);
                });
                await().atMost(SOON).untilAsserted(() -> {
                    assertThat(now(looking).level()).isEqualTo(Level.UNKNOWN);
                    assertThat(now(looking).words())
                            .contains(
                                    "Operation %s on poison messages runs at instance %s, and holds some of them, 1 now"
                                            .formatted(
                                                    operation.id(),
                                                    moving.operations().instance()));
                });
            } finally {
                moving.close();
            }
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(looking.poisonMessages().atOtherInstances().instances())
                        .isEmpty();
                assertThat(now(looking).words()).contains("2 messages are set aside");
            });
        }
    }
}
