// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.rabbit.instance.Instance;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two instances are replaced one after the other while messages keep coming. */
@Timeout(180)
class RollingRestartIT {

    private static final int ROUNDS = 3;
    private static final int PREFETCH = 10;

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "rolling." + UUID.randomUUID().toString().substring(0, 8);
    private final Map<String, Integer> handled = new ConcurrentHashMap<>();
    private final TestBroker broker = TestBroker.shared();

    /** No memory of what was handled, which would hide what was handled twice; a limit that is used up soon. */
    private final InstanceOptions options =
            new InstanceOptions(node, broker, PREFETCH, ROUNDS * 2, Duration.ofMillis(20), false);

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Job");
        rabbit.close();
    }

    @Test
    void losesNothingAndHandlesNothingTwiceWhenTheyAreTerminated() {
        int published = restartUnderLoad(Instance::terminate);

        assertThat(handled).hasSize(published);
        assertThat(handled.values()).allMatch(times -> times == 1);
    }

    @Test
    void losesNothingAndHandlesTwiceOnlyWhatWasInWorkWhenTheyAreKilled() {
        int published = restartUnderLoad(Instance::kill);

        assertThat(handled).hasSize(published);
        long twice = handled.values().stream().filter(times -> times > 1).count();
        assertThat(twice).isLessThanOrEqualTo(ROUNDS * 2L * PREFETCH);
        rabbit.onBroker(
                channel -> assertThat(channel.messageCount(node + "-poison")).isZero());
    }

    /** @return how many jobs were published */
    private int restartUnderLoad(Consumer<Instance> end) {
        AtomicBoolean enough = new AtomicBoolean();
        int[] published = {0};
        try (NodeUnderTest publisher = NodeUnderTest.publisher(options)) {
            Instance one = start();
            Instance two = start();
            Thread load = new Thread(() -> {
                while (!enough.get()) {
                    publisher.bunny().publish(new Job("job-" + published[0]++, false));
                }
            });
            load.start();
            for (int round = 0; round < ROUNDS; round++) {
                int before = handled.size();
                await().until(() -> handled.size() > before + 100);
                end.accept(one);
                one = start();
                int then = handled.size();
                await().until(() -> handled.size() > then + 100);
                end.accept(two);
                two = start();
            }
            enough.set(true);
            await().until(() -> !load.isAlive());
            await().atMost(Duration.ofSeconds(60)).until(() -> handled.size() == published[0]);
            one.terminate();
            two.terminate();
        }
        return published[0];
    }

    private Instance start() {
        return Instance.start(options, id -> handled.merge(id, 1, Integer::sum)).awaitReady();
    }
}
