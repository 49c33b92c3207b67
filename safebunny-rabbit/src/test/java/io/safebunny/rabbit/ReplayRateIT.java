// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.PoisonMessageException;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A replay with a rate, by the clock of the machine. */
@Timeout(180)
class ReplayRateIT {

    record Ping(int number) {}

    private static final Logger LOG = LoggerFactory.getLogger(ReplayRateIT.class);
    private static final int MESSAGES = 200;
    private static final double PER_SECOND = 50;
    private static final double TOLERANCE = 0.05;
    /** On a machine that stops for longer than a replay makes up for; the log says how fast it was. */
    private static final double SLOWEST = 0.5;

    private final RabbitBench rabbit = new RabbitBench();
    private final SystemTimeline timeline = new SystemTimeline("replay-rate");
    private final String node = "rate." + UUID.randomUUID().toString().substring(0, 8);
    private final AtomicInteger runs = new AtomicInteger();
    private final SafeBunnyEngine engine =
            new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(node), rabbit.transport(node), timeline)
                    .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                    .callbacks(rabbit.workers())
                    .build());

    @BeforeEach
    void setAside() {
        engine.start(List.of(new HandlerDefinition(
                "Ping",
                "Ping",
                Ping.class,
                List.of(node),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {
                    runs.incrementAndGet();
                    throw new PoisonMessageException("closed"); // so that it comes back
                })));
        for (int i = 0; i < MESSAGES; i++) {
            engine.bunny().publish(new Ping(i));
        }
        awaitSetAside();
    }

    @AfterEach
    void deleteQueues() {
        engine.stop(Duration.ofSeconds(10));
        rabbit.deleteQueues(node, "Ping");
        timeline.close();
        rabbit.close();
    }

    private void awaitSetAside() {
        long[] count = {0};
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            rabbit.onBroker(channel -> count[0] = channel.messageCount(node + "-poison"));
            return count[0] == MESSAGES;
        });
    }

    @Test
    void replaysAsFastAsItIsAskedToAndNoFaster() throws InterruptedException {
        double measured = replay();

        assertThat(measured).as("messages per second").isBetween(PER_SECOND * SLOWEST, PER_SECOND * (1 + TOLERANCE));
        awaitSetAside();
        assertThat(runs).hasValue(2 * MESSAGES);
    }

    /** @return how many messages were replayed in a second; the first one is replayed at once */
    private double replay() throws InterruptedException {
        PoisonRequest request = PoisonRequest.of(PoisonFilter.all(), "test", "the rate");
        long before = System.nanoTime();
        PoisonOperation.Progress progress = engine.get(PoisonMessages.class)
                .replay(request.atRate(PER_SECOND))
                .await(Duration.ofSeconds(60));
        long took = System.nanoTime() - before;
        double measured = (MESSAGES - 1) * (double) TimeUnit.SECONDS.toNanos(1) / took;

        LOG.info(
                "{} messages in {} ms: {} a second of {}",
                MESSAGES,
                TimeUnit.NANOSECONDS.toMillis(took),
                "%.1f".formatted(measured),
                PER_SECOND);
        assertThat(progress.failure()).isNull();
        assertThat(progress.state()).isEqualTo(PoisonOperation.RunState.ENDED);
        assertThat(progress.moved()).isEqualTo(MESSAGES);
        return measured;
    }
}
