// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Instance;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Three instances of one node and one store; one of them is asked. */
@Timeout(60)
class NodePauseIT {

    record Ping(int number) {}

    private static final Logger LOG = LoggerFactory.getLogger(NodePauseIT.class);
    private static final int CALLS = 20;
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final RabbitBench rabbit = new RabbitBench();
    private final SystemTimeline timeline = new SystemTimeline("node-pause");
    private final String node = "paused." + UUID.randomUUID().toString().substring(0, 8);
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final Set<Integer> handled = ConcurrentHashMap.newKeySet();
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void deleteQueues() {
        engines.forEach(engine -> engine.stop(GRACE));
        rabbit.deleteQueues(node, "Ping");
        timeline.close();
        rabbit.close();
    }

    private SafeBunnyEngine start() {
        SafeBunnyEngine engine =
                new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(node), rabbit.transport(node), timeline)
                        .store(store)
                        .breakers(new CircuitBreakers(BreakerSettings.defaults(), timeline, rabbit.workers()))
                        .callbacks(rabbit.workers())
                        .build());
        engine.start(List.of(new HandlerDefinition(
                "Ping",
                "Ping",
                Ping.class,
                List.of(node),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {
                    runs.incrementAndGet();
                    handled.add(((Ping) payload).number());
                })));
        engines.add(engine);
        return engine;
    }

    private void publish(int from, int to) {
        for (int i = from; i < to; i++) {
            engines.get(0).bunny().publish(new Ping(i));
        }
    }

    private long waiting() {
        long[] count = {0};
        rabbit.onBroker(channel -> count[0] = channel.messageCount(node + "-Ping"));
        return count[0];
    }

    @Test
    void threeOfThreePauseStayPausedAcrossARestartAndResume() {
        for (int i = 0; i < 3; i++) {
            start();
        }
        publish(0, 50);
        await().until(() -> handled.size() == 50);
        await().until(() -> knowsAll(engines.get(0)));

        Result paused = engines.get(1)
                .get(BunnyOperations.class)
                .pause("Ping", Duration.ofMinutes(10), Scope.NODE, "provider is down", "ann");
        assertThat(paused.instances()).hasSize(3).allMatch(Instance::applied);

        publish(50, 150);
        await().until(() -> waiting() == 100);
        SafeBunnyEngine stopped = engines.remove(2);
        stopped.stop(GRACE);
        start();
        publish(150, 200);
        await().until(() -> waiting() == 150);
        assertThat(handled).hasSize(50);
        assertThat(engines)
                .allSatisfy(engine ->
                        assertThat(engine.get(BunnyOperations.class).paused()).hasSize(1));

        Result resumed = engines.get(2).get(BunnyOperations.class).resume("Ping", Scope.NODE, "is back", "ann");
        assertThat(resumed.instances()).hasSize(3).allMatch(Instance::applied);
        await().until(() -> handled.size() == 200);
        assertThat(runs).hasValue(200);
        assertThat(engines.get(0)
                        .get(BunnyOperations.class)
                        .pause("Ping", Duration.ofSeconds(1), Scope.NODE, "short", "ann")
                        .instances())
                .hasSize(3);
        publish(200, 210);
        await().until(() -> handled.size() == 210); // it is over by itself
        rabbit.onBroker(
                channel -> assertThat(channel.messageCount(node + "-poison")).isZero());
    }

    @Test
    void threeOfThreeDoAsOneIsAskedWithinASecondInNineOfTenCases() {
        for (int i = 0; i < 3; i++) {
            start();
        }
        await().until(() -> engines.stream().allMatch(NodePauseIT::knowsAll));

        List<Duration> took = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            boolean pauses = i % 2 == 0;
            BunnyOperations asked = engines.get(i % engines.size()).get(BunnyOperations.class);
            long before = System.nanoTime();
            Result result = pauses
                    ? asked.pause("Ping", Duration.ofMinutes(10), Scope.NODE, "provider is down", "ann")
                    : asked.resume("Ping", Scope.NODE, "is back", "ann");
            took.add(Duration.ofNanos(System.nanoTime() - before));
            assertThat(result.instances())
                    .as("call %d of %d, after %s", i, CALLS, took)
                    .hasSize(3)
                    .allMatch(Instance::applied);
            assertThat(engines).allSatisfy(engine -> assertThat(
                            engine.get(BunnyOperations.class).paused())
                    .hasSize(pauses ? 1 : 0));
        }

        Collections.sort(took);
        Duration largest = took.get(CALLS - 1);
        LOG.info(
                "{} calls for three instances: median {} ms, largest {} ms",
                CALLS,
                took.get(CALLS / 2).toMillis(),
                largest.toMillis());
        assertThat(took.get(CALLS * 9 / 10)).isLessThan(Duration.ofSeconds(1));
    }

    /** The others say that they are here when one starts, and that takes a moment. */
    private static boolean knowsAll(SafeBunnyEngine engine) {
        return engine.get(BunnyOperations.class)
                        .resume("Ping", Scope.NODE, "who is there", "test")
                        .instances()
                        .size()
                == 3;
    }
}
