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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that come back through nobody's fault. */
@Timeout(600)
class RedeliveryIT {

    private static final int LIMIT = 2;
    private static final Duration SOON = Duration.ofMinutes(1);

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "again." + UUID.randomUUID().toString().substring(0, 8);
    private final TestBroker broker = TestBroker.shared();

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Job");
        rabbit.close();
    }

    private InstanceOptions options(String addresses, int prefetch) {
        return new InstanceOptions(node, broker, prefetch, LIMIT, Duration.ZERO, false).withAddresses(addresses);
    }

    /**
     * Three times as many cuts under one message as the limit allows failed deliveries. One place for messages: a fresh copy is handled when
     * the original has been acknowledged, so no cut comes between the two, which would leave both.
     */
    @Test
    void areNotSetAsideHoweverOftenTheConnectionIsCutUnderThem() {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        AtomicBoolean waits = new AtomicBoolean(true);
        BlockingQueue<CountDownLatch> works = new LinkedBlockingQueue<>();
        try (TcpProxy proxy = TcpProxy.to(broker.host(), broker.port());
                NodeUnderTest publisher = NodeUnderTest.publisher(options(broker.host() + ':' + broker.port(), 1));
                NodeUnderTest consumer =
                        NodeUnderTest.start(options("127.0.0.1:" + proxy.port(), 1), (payload, context) -> {
                            CountDownLatch own = new CountDownLatch(1);
                            begun.incrementAndGet();
                            works.add(own);
                            if (waits.get()) {
                                own.await();
                            }
                            ended.incrementAndGet();
                        })) {
            publisher.bunny().publish(new Job("job", false));
            for (int cut = 1; cut <= 3 * LIMIT; cut++) {
                await().atMost(SOON).until(() -> !works.isEmpty());
                proxy.refuse(); // or the consumer could be back before anybody looks
                proxy.cut();
                await().atMost(SOON).until(() -> !consumer.status().usable());
                endAll(works);
                proxy.accept();
            }
            await().atMost(SOON).until(() -> !works.isEmpty());
            waits.set(false);
            endAll(works);
            await().atMost(SOON).until(() -> ended.get() == begun.get());
            assertThat(begun).hasValue(3 * LIMIT + 1);
        }
        rabbit.onBroker(channel -> {
            assertThat(channel.messageCount(node + "-poison")).isZero();
            assertThat(channel.messageCount(node + "-dead-letters")).isZero();
        });
    }

    private static void endAll(BlockingQueue<CountDownLatch> works) {
        List<CountDownLatch> running = new ArrayList<>();
        works.drainTo(running);
        running.forEach(CountDownLatch::countDown);
    }

    /** A new one waits for those that are before it in the queue, each of which is there once: for no longer, whatever their number of attempts. */
    @Test
    @Tag("once")
    void doNotStarveNewOnesByTheThousand() {
        int failing = 2_000;
        AtomicLong failures = new AtomicLong();
        Map<String, Long> handledAfter = new ConcurrentHashMap<>();
        CountDownLatch recovered = new CountDownLatch(1);
        try (NodeUnderTest both = NodeUnderTest.startWithRetries(
                options(broker.host() + ':' + broker.port(), 10), 1_000, Duration.ofMillis(200), (payload, context) -> {
                    String id = ((Job) payload).id();
                    if (id.startsWith("failing") && recovered.getCount() > 0) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("not yet");
                    }
                    handledAfter.put(id, failures.get());
                })) {
            CompletableFuture.allOf(IntStream.range(0, failing)
                            .mapToObj(i -> both.bunny().publishAsync(new Job("failing-" + i, false)))
                            .toArray(CompletableFuture[]::new))
                    .join();
            for (int i = 0; i < 10; i++) {
                String id = "new-" + i;
                both.bunny().publish(new Job(id, false));
                long before = failures.get();
                await().atMost(SOON).until(() -> handledAfter.containsKey(id));
                assertThat(Objects.requireNonNull(handledAfter.get(id)) - before)
                        .isLessThan(failing + 100);
            }
            assertThat(handledAfter).hasSize(10);
            recovered.countDown();
            await().atMost(SOON).until(() -> handledAfter.size() == failing + 10);
        }
    }
}
