// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.proxy.TcpProxy;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the broker delivers again because the acknowledgement got lost, with and without a memory. */
@Timeout(120)
class HandledOnceIT {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final RabbitBench rabbit = new RabbitBench();
    private final TestBroker broker = TestBroker.shared();
    private final String node = "once." + UUID.randomUUID().toString().substring(0, 8);
    private final Map<String, Integer> runs = new ConcurrentHashMap<>();

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Job");
        rabbit.close();
    }

    private InstanceOptions options(int port, boolean remembers) {
        return new InstanceOptions(node, broker, 10, 20, Duration.ZERO, remembers)
                .withAddresses(broker.host() + ':' + port);
    }

    private void run(String id) {
        runs.merge(id, 1, Integer::sum);
    }

    private int ready(String queue) {
        int[] messages = {0};
        rabbit.onBroker(channel -> messages[0] = (int) channel.messageCount(queue));
        return messages[0];
    }

    @ParameterizedTest(name = "with a store: {0}, runs: {1}")
    @CsvSource({"true, 1", "false, 2"})
    void aLostAcknowledgementBringsTheMessageBack(boolean remembers, int times) {
        try (TcpProxy proxy = TcpProxy.to(broker.host(), broker.port());
                NodeUnderTest consumer = NodeUnderTest.start(
                        options(proxy.port(), remembers), (payload, context) -> run(((Job) payload).id()));
                NodeUnderTest publisher = NodeUnderTest.publisher(options(broker.port(), false))) {
            proxy.cutAtNextAcknowledgement();
            publisher.bunny().publish(new Job("job", false));
            await().atMost(SOON).until(() -> !proxy.isArmed());
            publisher.bunny().publish(new Job("next", false));

            // behind the one that came back, in a queue that gives one at a time at first
            await().atMost(SOON).until(() -> runs.containsKey("next"));
            consumer.stop(Duration.ofSeconds(5));
        }
        assertThat(runs).containsEntry("job", times);
        assertThat(ready(node + "-Job")).isZero();
    }
}
