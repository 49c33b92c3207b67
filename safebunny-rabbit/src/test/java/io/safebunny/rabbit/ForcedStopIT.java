// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The grace of a stop is over while a handler runs for the last time it may. */
@Timeout(60)
class ForcedStopIT {

    private final TestBroker broker = TestBroker.shared();
    private final RabbitBench rabbit = new RabbitBench();
    private final InstanceOptions options = new InstanceOptions(
            "forced." + UUID.randomUUID().toString().substring(0, 8), broker, 10, 20, Duration.ZERO, true);
    private final SystemTimeline clock = new SystemTimeline("forced-stop");
    private final MemoryMessageStore store = new MemoryMessageStore(clock, Duration.ofDays(7));
    private final BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(options.node(), "Job");
        rabbit.close();
        clock.close();
    }

    private NodeUnderTest start(HandlerInvoker handler) {
        return NodeUnderTest.startWith(
                options,
                store,
                bunny -> List.of(new HandlerDefinition(
                        "forced stop",
                        "Job",
                        Job.class,
                        List.of(options.node()),
                        options.prefetch(),
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(1, Duration.ofMillis(50))),
                        (payload, context) -> {
                            attempts.add(context.attempt());
                            handler.invoke(payload, context);
                        })));
    }

    @Test
    void theInterruptedHandlerIsRunAgainByTheNextInstanceAndNoAttemptIsSpent() throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        NodeUnderTest first = start((payload, context) -> {
            if (context.attempt() == 0) {
                throw new IllegalStateException("the first attempt fails");
            }
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw new IllegalStateException("interrupted", e);
            }
        });
        assertThat(first.bunny().publish(new Job("job", false)).messageId()).isNotEmpty();
        assertThat(attempts.poll(10, TimeUnit.SECONDS)).isZero();
        assertThat(attempts.poll(10, TimeUnit.SECONDS)).isEqualTo(1);

        first.stop(Duration.ofMillis(200));
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        NodeUnderTest second = start((payload, context) -> {});
        try {
            assertThat(attempts.poll(10, TimeUnit.SECONDS)).isEqualTo(1);
            await().untilAsserted(() -> rabbit.onBroker(channel ->
                    assertThat(channel.messageCount(options.node() + "-Job")).isZero()));
            rabbit.onBroker(channel ->
                    assertThat(channel.messageCount(options.node() + "-poison")).isZero());
        } finally {
            second.close();
        }
    }
}
