// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.instance.InstanceOptions;
import io.safebunny.test.instance.Job;
import io.safebunny.test.instance.NodeUnderTest;
import io.safebunny.test.proxy.TcpProxy;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the broker delivers again because an answer got lost or a connection ended, with and without a memory. */
@Timeout(120)
class HandledOnceIT {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int MANY = 500;

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
        return new InstanceOptions(node, broker.host() + ':' + port, 10, 20, Duration.ZERO, remembers);
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

    /** Original and copy are both there afterwards: they share their attempts. */
    @Test
    void aLostConfirmOfTheDelayedCopyAddsNoAttempt() {
        try (TcpProxy proxy = TcpProxy.to(broker.host(), broker.port());
                NodeUnderTest publisher = NodeUnderTest.publisher(options(broker.port(), false))) {
            NodeUnderTest consumer = NodeUnderTest.startWithRetries(
                    options(proxy.port(), true), 2, Duration.ofMillis(100), (payload, context) -> {
                        run(((Job) payload).id());
                        if (runs.get("job") == 1) {
                            proxy.cutAtNextConfirm();
                        }
                        throw new IllegalStateException("fails always");
                    });
            publisher.bunny().publish(new Job("job", false));

            await().atMost(SOON).until(() -> ready(node + "-poison") > 0);
            await().during(Duration.ofSeconds(1)).atMost(SOON).until(() -> runs.get("job") == 3);
            consumer.stop(Duration.ofSeconds(5));
        }
        assertThat(ready(node + "-Job")).isZero();
        assertThat(ready(node + "-poison")).isBetween(1, 2);
    }

    @Test
    void connectionsThatAnOperatorClosesLoseAndDoubleNothing() {
        assumeTrue(broker.isPrivate(), "Needs a broker whose connections are the test's to close");
        try (NodeUnderTest both =
                NodeUnderTest.start(options(broker.port(), true), (payload, context) -> run(((Job) payload).id()))) {
            CompletableFuture<?>[] published = IntStream.range(0, MANY)
                    .mapToObj(i -> {
                        if (i == MANY / 3) {
                            broker.closeConnection(node + ":consume");
                        }
                        if (i == 2 * MANY / 3) {
                            broker.closeConnection(node + ":publish");
                        }
                        return both.bunny().publishAsync(new Job("job-" + i, false));
                    })
                    .toArray(CompletableFuture[]::new);

            assertThat(CompletableFuture.allOf(published)).succeedsWithin(SOON);
            await().atMost(SOON).until(() -> runs.size() == MANY);
            await().atMost(SOON).until(() -> both.status().usable());
            both.stop(Duration.ofSeconds(5));
        }
        assertThat(runs.values()).allMatch(times -> times == 1);
        assertThat(ready(node + "-Job")).isZero();
        assertThat(ready(node + "-poison")).isZero();
    }
}
