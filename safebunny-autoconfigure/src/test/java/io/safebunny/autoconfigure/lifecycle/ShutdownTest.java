// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.autoconfigure.Nodes;
import io.safebunny.autoconfigure.OrderPlaced;
import io.safebunny.autoconfigure.Received;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.SmartLifecycle;

class ShutdownTest {

    @Test
    void waitsForARunningHandlerWhichCanStillPublish() {
        try (SystemTimeline timeline = new SystemTimeline("shared")) {
            ExecutorService threads = Executors.newCachedThreadPool();
            try {
                MemoryBroker broker = new MemoryBroker(timeline, threads);
                Nodes.memory()
                        .withBean(MemoryBroker.class, () -> broker)
                        .withPropertyValues("safebunny.node=archive")
                        .withBean(Archive.class)
                        .run(archive -> Nodes.memory()
                                .withBean(MemoryBroker.class, () -> broker)
                                .withBean(Slow.class)
                                .run(shop -> {
                                    Slow slow = shop.getBean(Slow.class);
                                    shop.getBean(Bunny.class).publish(new OrderPlaced("1"));
                                    slow.begun.next();
                                    ConsumingLifecycle lifecycle = shop.getBean(ConsumingLifecycle.class);
                                    CompletableFuture<Void> closed =
                                            CompletableFuture.runAsync(shop.getSourceApplicationContext()::close);
                                    Awaitility.await().until(() -> !lifecycle.isRunning());
                                    assertThat(closed).isNotDone();
                                    slow.mayEnd.countDown();
                                    closed.join();

                                    assertThat(slow.ended).isTrue();
                                    assertThat(slow.interrupted).isFalse();
                                    assertThat(archive.getBean(Archive.class)
                                                    .received
                                                    .next())
                                            .isEqualTo(new OrderShipped("1"));
                                }));
            } finally {
                threads.shutdownNow();
            }
        }
    }

    @Test
    void interruptsAHandlerThatOutstaysTheGrace() {
        Nodes.memory()
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=200ms")
                .withBean(Slow.class)
                .run(context -> {
                    Slow slow = context.getBean(Slow.class);
                    context.getBean(Bunny.class).publish(new OrderPlaced("1"));
                    slow.begun.next();

                    context.getSourceApplicationContext().close();

                    Awaitility.await().untilTrue(slow.interrupted);
                    assertThat(slow.ended).isFalse();
                });
    }

    @Test
    void disconnects() {
        Nodes.memory().run(context -> {
            Transport transport = context.getBean(Transport.class);
            context.getSourceApplicationContext().close();
            assertThat(transport.status()).extracting(TransportStatus::usable).isEqualTo(false);
        });
    }

    @Test
    void isNotPartOfAPause() {
        Nodes.memory().run(context -> {
            context.getSourceApplicationContext().pause();
            assertThat(context.getBean(EngineLifecycle.class).isRunning()).isTrue();
            assertThat(context.getBean(Transport.class).status().usable()).isTrue();
        });
    }

    @Test
    void graceLeavesAMarginWithinThePhase() {
        assertThat(ConsumingLifecycle.graceWithin(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(28));
        assertThat(ConsumingLifecycle.graceWithin(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void happensAfterRequestsAreDrainedAndBeforeTheWebServerStops() {
        assertThat(ConsumingLifecycle.PHASE)
                .isLessThan(SmartLifecycle.DEFAULT_PHASE - 1024)
                .isGreaterThan(SmartLifecycle.DEFAULT_PHASE - 2048);
    }

    record OrderShipped(String orderId) {}

    static class Archive {
        final Received<OrderShipped> received = new Received<>();

        @BunnyHandler(from = "shop")
        void on(OrderShipped payload) {
            received.add(payload);
        }
    }

    static class Slow {
        final Received<String> begun = new Received<>();
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final AtomicBoolean ended = new AtomicBoolean();
        final AtomicBoolean interrupted = new AtomicBoolean();

        private final Bunny bunny;

        Slow(Bunny bunny) {
            this.bunny = bunny;
        }

        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) throws InterruptedException {
            begun.add(payload.orderId());
            try {
                mayEnd.await();
                ended.set(true);
                bunny.publish(new OrderShipped(payload.orderId()));
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        }
    }
}
