// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.PublishOptions;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.rabbit.connection.BrokerVersion;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Urgent messages behind many others, each of which fails twice: what the broker makes of their priority at every attempt. */
@Timeout(180)
class PriorityIT {

    record Job(String id, boolean urgent) {}

    private static final int NORMAL = 200;
    private static final int URGENT = 10;
    private static final int ATTEMPTS = 3;

    private final TestBroker broker = TestBroker.shared();
    private final Onlooker onlooker = new Onlooker(broker);
    private final String node = "urgent." + UUID.randomUUID().toString().substring(0, 8);
    private final String queue = node + "-Job";
    private final Semaphore permits = new Semaphore(0);
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger handled = new AtomicInteger();
    private final AtomicInteger attempts = new AtomicInteger();
    private final Map<String, AtomicInteger> failures = new ConcurrentHashMap<>();

    /** One at a time. Urgent ones fail twice, others wait for a permit. */
    private NodeUnderTest start() {
        return NodeUnderTest.startWith(
                new InstanceOptions(node, broker, 1, 20, Duration.ZERO, true),
                bunny -> List.of(new HandlerDefinition(
                        "urgent.on(Job)",
                        "Job",
                        Job.class,
                        List.of(node),
                        1,
                        RecoveryPolicy.of(
                                RetryStrategy.none(),
                                RetryStrategy.after(Duration.ofMillis(300), Duration.ofMillis(300))),
                        (payload, context) -> handle((Job) payload))));
    }

    private void handle(Job job) throws InterruptedException {
        if (job.urgent()) {
            attempts.incrementAndGet();
            if (failures.computeIfAbsent(job.id(), id -> new AtomicInteger()).incrementAndGet() < ATTEMPTS) {
                throw new IllegalStateException("as the test wants");
            }
            return;
        }
        waiting.incrementAndGet();
        try {
            if (!permits.tryAcquire(2, TimeUnit.MINUTES)) {
                throw new IllegalStateException("the test has ended");
            }
        } finally {
            waiting.decrementAndGet();
        }
        handled.incrementAndGet();
    }

    @AfterEach
    void deleteQueues() {
        onlooker.onBroker(channel -> {
            for (String own : List.of("-Job", "-poison", "-dead-letters")) {
                channel.queueDelete(node + own);
            }
        });
    }

    private long ready() {
        long[] ready = {0};
        onlooker.onBroker(channel -> ready[0] = channel.messageCount(queue));
        return ready[0];
    }

    private long urgentAtWork() {
        return URGENT
                - failures.values().stream().filter(n -> n.get() == ATTEMPTS).count();
    }

    @Test
    void eachAttemptOvertakesWhatTheBrokerLetsItOvertake() {
        try (NodeUnderTest running = start()) {
            running.breaker().open(Job.class, Duration.ofMinutes(10));
            for (int i = 0; i < NORMAL; i++) {
                assertThat(running.bunny()
                                .publish(new Job("n" + i, false), PublishOptions.none())
                                .messageId())
                        .isNotEmpty();
            }
            PublishOptions urgent = PublishOptions.none().withPriority(9);
            for (int i = 0; i < URGENT; i++) {
                assertThat(running.bunny()
                                .publish(new Job("u" + i, true), urgent)
                                .messageId())
                        .isNotEmpty();
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> ready() == NORMAL + URGENT);
            running.breaker().close();

            while (attempts.get() < URGENT * ATTEMPTS && handled.get() < NORMAL) {
                // a normal one is at work, and all others are back in the queue
                await().atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> attempts.get() == URGENT * ATTEMPTS
                                || (waiting.get() == 1 && ready() == NORMAL - handled.get() - 1 + urgentAtWork()));
                if (attempts.get() < URGENT * ATTEMPTS) {
                    int before = handled.get();
                    permits.release();
                    await().atMost(Duration.ofSeconds(20)).until(() -> handled.get() > before);
                }
            }
            int overtaken = handled.get();
            permits.release(NORMAL);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> handled.get() == NORMAL && attempts.get() == URGENT * ATTEMPTS);

            String version = broker.version();
            if (BrokerVersion.isAtLeast(version, 4, 3)) {
                assertThat(overtaken).as("handled before the last attempt").isLessThanOrEqualTo(ATTEMPTS);
            } else if (BrokerVersion.isAtLeast(version, 4, 0)) {
                assertThat(overtaken)
                        .as("handled before the last attempt: one for two urgent ones, and one a time")
                        .isLessThanOrEqualTo(URGENT * ATTEMPTS);
            } else {
                assertThat(overtaken).as("an older broker ignores priorities").isEqualTo(NORMAL);
            }
        }
    }
}
