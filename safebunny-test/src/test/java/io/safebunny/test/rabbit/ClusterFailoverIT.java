// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.test.broker.RabbitCluster;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.test.instance.InstanceOptions;
import io.safebunny.test.instance.Job;
import io.safebunny.test.instance.NodeUnderTest;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node whose broker is a cluster of three, of which first one and then two are gone. */
@Timeout(300)
class ClusterFailoverIT {

    private static final String NODE = "failover";
    private static final Duration SOON = Duration.ofSeconds(90);

    private final Set<String> confirmed = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> handled = new ConcurrentHashMap<>();
    private int published;

    @Test
    void whatWasConfirmedIsHandledOnceThoughOneNodeDiesAndThenTheMajorityIsAway() {
        assumeTrue(RabbitNode.installedRoot().isPresent(), "Needs an installed RabbitMQ server to make a cluster of");
        try (RabbitCluster cluster = RabbitCluster.start(3)) {
            InstanceOptions options =
                    new InstanceOptions(NODE, cluster.addresses(), 10, 20, Duration.ZERO, true, Duration.ofSeconds(10));
            try (NodeUnderTest node = NodeUnderTest.start(
                    options, (payload, context) -> handled.merge(((Job) payload).id(), 1, Integer::sum))) {
                cluster.nodes().forEach(member -> member.awaitRegistered("/", NODE + "-Job"));
                cluster.awaitMembers("/", NODE + "-Job", 3);
                publish(node, 200);

                RabbitNode connected = cluster.nodes().get(0);
                connected.kill();
                await().atMost(SOON).until(() -> publish(node, 1) == 1);
                publish(node, 200);
                await().atMost(SOON).until(() -> handled.keySet().containsAll(confirmed));

                RabbitNode second = cluster.nodes().get(1);
                second.kill();
                int before = confirmed.size();
                assertThatThrownBy(() -> node.bunny().publish(new Job("nobody-confirms", false)))
                        .isInstanceOfAny(PublishTimeoutException.class, ConnectionLostException.class);
                assertThat(confirmed).hasSize(before);

                cluster.restart();
                await().atMost(SOON).until(() -> publish(node, 1) == 1);
                publish(node, 100);
                await().atMost(SOON).until(() -> handled.keySet().containsAll(confirmed));
            }
        }
        assertThat(confirmed).hasSizeGreaterThan(300);
        assertThat(handled.values()).allMatch(times -> times == 1);
    }

    /** @return how many of them were confirmed */
    private int publish(NodeUnderTest node, int jobs) {
        int before = confirmed.size();
        for (int i = 0; i < jobs; i++) {
            String id = "job-" + published++;
            try {
                node.bunny().publish(new Job(id, false));
                confirmed.add(id);
            } catch (PublishException e) {
                // its fate is not known: it may be handled, and need not
            }
        }
        return confirmed.size() - before;
    }
}
