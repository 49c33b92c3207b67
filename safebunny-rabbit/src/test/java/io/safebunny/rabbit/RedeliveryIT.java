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
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that come back through nobody's fault. */
@Timeout(180)
class RedeliveryIT {

    private static final int LIMIT = 2;

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "again." + UUID.randomUUID().toString().substring(0, 8);
    private final TestBroker broker = TestBroker.shared();

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Job");
        rabbit.close();
    }

    private InstanceOptions options(String addresses) {
        return new InstanceOptions(node, broker, 10, LIMIT, Duration.ZERO, false).withAddresses(addresses);
    }

    /** Three times as many cuts under one message as the limit allows failed deliveries. */
    @Test
    void areNotSetAsideHoweverOftenTheConnectionIsCutUnderThem() {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        Queue<CountDownLatch> works = new ConcurrentLinkedQueue<>();
        try (TcpProxy proxy = TcpProxy.to(broker.host(), broker.port());
                NodeUnderTest publisher = NodeUnderTest.publisher(options(broker.host() + ':' + broker.port()));
                NodeUnderTest consumer =
                        NodeUnderTest.start(options("127.0.0.1:" + proxy.port()), (payload, context) -> {
                            CountDownLatch own = new CountDownLatch(1);
                            works.add(own);
                            begun.incrementAndGet();
                            own.await();
                            ended.incrementAndGet();
                        })) {
            publisher.bunny().publish(new Job("job", false));
            for (int cut = 1; cut <= 3 * LIMIT; cut++) {
                int times = cut;
                await().atMost(Duration.ofSeconds(30)).until(() -> begun.get() == times);
                proxy.refuse(); // or the consumer could be back before anybody looks
                proxy.cut();
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> !consumer.status().usable());
                works.remove().countDown();
                proxy.accept();
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> begun.get() == 3 * LIMIT + 1);
            works.remove().countDown();
            await().atMost(Duration.ofSeconds(30)).until(() -> ended.get() == begun.get());
        }
        rabbit.onBroker(channel -> {
            assertThat(channel.messageCount(node + "-Job")).isZero();
            assertThat(channel.messageCount(node + "-poison")).isZero();
            assertThat(channel.messageCount(node + "-dead-letters")).isZero();
        });
    }

    @Test
    void doNotStarveNewOnesByTheThousand() {
        Map<String, Long> handled = new ConcurrentHashMap<>();
        CountDownLatch recovered = new CountDownLatch(1);
        try (NodeUnderTest both = NodeUnderTest.startWithRetries(
                options(broker.host() + ':' + broker.port()), 1_000, Duration.ofMillis(200), (payload, context) -> {
                    String id = ((Job) payload).id();
                    if (id.startsWith("failing") && recovered.getCount() > 0) {
                        throw new IllegalStateException("not yet");
                    }
                    handled.put(id, System.nanoTime());
                })) {
            for (int i = 0; i < 2_000; i++) {
                both.bunny().publishAsync(new Job("failing-" + i, false)).join();
            }
            for (int i = 0; i < 20; i++) {
                String id = "new-" + i;
                both.bunny().publish(new Job(id, false));
                await().atMost(Duration.ofSeconds(10)).until(() -> handled.containsKey(id));
            }
            assertThat(handled).hasSize(20);
            recovered.countDown();
            await().atMost(Duration.ofSeconds(60)).until(() -> handled.size() == 2_020);
        }
    }
}
