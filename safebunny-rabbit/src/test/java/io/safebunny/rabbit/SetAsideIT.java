// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** More bad messages than there are places, and no way to put them where they belong: the good ones go on. */
@Timeout(120)
class SetAsideIT {

    private static final int PREFETCH = 3;
    private static final int BAD = 4 * PREFETCH;

    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final String node = "aside." + UUID.randomUUID().toString().substring(0, 8);

    /** Handles what is good; no retries. */
    private NodeUnderTest start(TestBroker broker) {
        InstanceOptions options = new InstanceOptions(node, broker, PREFETCH, 20, Duration.ZERO, true)
                .withPublishTimeout(Duration.ofSeconds(20));
        return NodeUnderTest.startWith(
                options,
                bunny -> List.of(new HandlerDefinition(
                        "set aside",
                        "Job",
                        Job.class,
                        List.of(node),
                        PREFETCH,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> {
                            Job job = (Job) payload;
                            if (job.kills()) {
                                throw new IllegalStateException("bad");
                            }
                            handled.add(job.id());
                        })));
    }

    private void publishBadOnesAndAGoodOne(NodeUnderTest publisher, String padding) {
        for (int i = 0; i < BAD; i++) {
            assertThat(publisher
                            .bunny()
                            .publish(new Job("bad-" + i + padding, true))
                            .messageId())
                    .isNotEmpty();
        }
        assertThat(publisher.bunny().publish(new Job("good", false)).messageId())
                .isNotEmpty();
    }

    private int length(Onlooker onlooker, String queue) {
        int[] length = {0};
        onlooker.onBroker(channel -> length[0] = (int) channel.messageCount(queue));
        return length[0];
    }

    @Test
    void aPoisonQueueDeletedUnderARunningNodeIsDeclaredAgain() {
        TestBroker broker = TestBroker.shared();
        Onlooker onlooker = new Onlooker(broker);
        try (NodeUnderTest running = start(broker)) {
            onlooker.onBroker(channel -> channel.queueDelete(node + "-poison"));
            publishBadOnesAndAGoodOne(running, "");

            await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains("good"));
            await().atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .until(() -> length(onlooker, node + "-poison") == BAD);
            assertThat(running.status().usable()).isTrue();
        } finally {
            deleteQueues(onlooker);
        }
    }

    /** They were queued when the broker took more. */
    @Test
    void whatIsTooLargeForTheBrokerByNowIsMovedByTheBrokerItself() {
        assumeTrue(RabbitNode.installedRoot().isPresent(), "Needs an installed RabbitMQ server of its own");
        try (RabbitNode server = RabbitNode.start()) {
            Onlooker onlooker = new Onlooker(server.broker());
            try (NodeUnderTest publisher = start(server.broker())) {
                publisher.breaker().open(Job.class, Duration.ofMinutes(10));
                publishBadOnesAndAGoodOne(publisher, "x".repeat(300_000));
                await().atMost(Duration.ofSeconds(20)).until(() -> length(onlooker, node + "-Job") == BAD + 1);
            }
            server.control("eval", "application:set_env(rabbit, max_message_size, 100000).");
            try (NodeUnderTest running = start(server.broker())) {
                await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains("good"));
                await().atMost(Duration.ofSeconds(30)).until(() -> length(onlooker, node + "-poison") == BAD);

                assertThat(running.status().usable()).isTrue();
                assertThat(length(onlooker, node + "-Job")).isZero();
                assertThat(length(onlooker, node + "-dead-letters")).isZero();
            }
        }
    }

    @Test
    void aFullPoisonQueueShowsAndIsForgottenWhenItHasRoomAgain() {
        TestBroker broker = TestBroker.shared();
        assumeTrue(broker.isPrivate(), "Needs a broker whose policies are the test's to change");
        Onlooker onlooker = new Onlooker(broker);
        try (NodeUnderTest running = start(broker)) {
            broker.setPolicy(node + "-poison", Map.of("max-length", 1, "overflow", "reject-publish"));
            await().pollDelay(Duration.ofSeconds(2)).until(() -> true); // the queue follows its policy a moment later
            publishBadOnesAndAGoodOne(running, "");

            await().until(() -> !running.status().usable());
            assertThat(running.status().detail()).contains("is blocked", node + "-Job");
            assertThat(handled).isEmpty();

            // not by removing the policy: a broker that refuses would go on with it on the channels that are open
            broker.setPolicy(node + "-poison", Map.of("max-length", 1_000, "overflow", "reject-publish"));
            await().atMost(Duration.ofSeconds(60)).until(() -> handled.contains("good"));
            assertThat(running.status().usable()).isTrue();
        } finally {
            broker.deletePolicy(node + "-poison");
            deleteQueues(onlooker);
        }
    }

    private void deleteQueues(Onlooker onlooker) {
        onlooker.onBroker(channel -> {
            channel.queueDelete(node + "-Job");
            channel.queueDelete(node + "-poison");
            channel.queueDelete(node + "-dead-letters");
        });
    }
}
