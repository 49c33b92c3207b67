// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.GetResponse;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.topology.TopologyOptions.PoisonLimits;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code safebunny.poison.max-length}: a poison queue that is full loses nothing, and does not stop the good ones. */
@Timeout(180)
class PoisonLengthIT {

    private static final int PREFETCH = 3;
    /** More than the poison queue takes, and than there are places. */
    private static final int BAD = 6;

    private final TestBroker broker = TestBroker.shared();
    private final Onlooker onlooker = new Onlooker(broker);
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final String node = "bounded." + UUID.randomUUID().toString().substring(0, 8);

    private NodeUnderTest start() {
        InstanceOptions options = new InstanceOptions(node, broker, PREFETCH, 20, Duration.ZERO, false)
                .withPublishTimeout(Duration.ofSeconds(20));
        return NodeUnderTest.startWith(
                options,
                TopologyOptions.defaults().withPoison(PoisonLimits.defaults().withMaxLength(1L)),
                bunny -> List.of(new HandlerDefinition(
                        "bounded",
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

    /** What an operator finds who empties it, and for whom others come after. */
    private void emptyInto(Set<String> found) {
        onlooker.onBroker(channel -> {
            GetResponse next = channel.basicGet(node + "-poison", true);
            while (next != null) {
                found.add(next.getProps().getMessageId());
                next = channel.basicGet(node + "-poison", true);
            }
        });
    }

    private long length() {
        long[] length = {0};
        onlooker.onBroker(channel -> length[0] = channel.messageCount(node + "-poison"));
        return length[0];
    }

    @Test
    void whatDoesNotFitWaitsAndComesWhenThereIsRoom() {
        Set<String> published = new TreeSet<>();
        Set<String> found = new TreeSet<>();
        try (NodeUnderTest running = start()) {
            published.add(running.bunny().publish(new Job("bad-0", true)).messageId());
            await().atMost(Duration.ofSeconds(30)).until(() -> length() == 1);
            for (int i = 1; i < BAD; i++) {
                published.add(running.bunny().publish(new Job("bad-" + i, true)).messageId());
            }
            assertThat(running.bunny().publish(new Job("good", false)).messageId())
                    .isNotEmpty();

            await().atMost(Duration.ofSeconds(100)).until(() -> handled.contains("good"));
            assertThat(length()).isLessThan(BAD); // each channel finds out with its first copy that does not fit

            await().atMost(Duration.ofSeconds(60)).until(() -> {
                emptyInto(found);
                return found.equals(published);
            });
            await().atMost(Duration.ofSeconds(30)).until(() -> running.status().usable());
        } finally {
            onlooker.onBroker(channel -> {
                channel.queueDelete(node + "-Job");
                channel.queueDelete(node + "-poison");
                channel.queueDelete(node + "-dead-letters");
            });
        }
    }
}
