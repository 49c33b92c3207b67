// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.failure.NackedException;
import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.spi.transport.Transport;
import io.safebunny.spi.transport.TransportStatus;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.memory.MemoryBroker;
import io.safebunny.transport.memory.MemoryTransport;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class HealthTest {

    @Test
    void tellsNodeAndTransport() {
        Nodes.memory().run(context -> {
            Health health = context.getBean(SafeBunnyHealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("node", "shop")
                    .containsEntry("transport", "memory")
                    .containsEntry("detail", "in-memory broker");
        });
    }

    @Test
    void isDownWhenTheTransportIs() {
        Nodes.memory().run(context -> {
            context.getBean(Transport.class).close();
            assertThat(context.getBean(SafeBunnyHealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.DOWN);
        });
    }

    @Test
    void tellsOfPublicationsThatNobodyConsumesAndTheLogSaysWhatToDoOnce(CapturedOutput output) {
        Nodes.memory()
                .withBean(Unheard.class)
                .withPropertyValues("safebunny.store.type=memory")
                .run(context -> {
                    context.getBean(Bunny.class).publish(new OrderPlaced("1"));
                    context.getBean(Bunny.class).publish(new OrderPlaced("2"));

                    SafeBunnyHealthIndicator indicator = context.getBean(SafeBunnyHealthIndicator.class);
                    Awaitility.await().untilAsserted(() -> assertThat(
                                    indicator.health().getDetails().get("waitingPublications"))
                            .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                            .containsEntry("messages", 2)
                            .containsEntry("destinations", Map.of("shop-Shipped", 2))
                            .containsKey("oldest"));
                    assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
                    assertThat(output.getOut().lines().filter(line -> line.contains("but what it published cannot")))
                            .singleElement(InstanceOfAssertFactories.STRING)
                            .contains("WARN")
                            .contains("[type=Shipped, routingKey=shop-Shipped]")
                            .contains("Start the node that consumes it once")
                            .contains("do not replay the handled message");
                });
    }

    record Shipped(String orderId) {}

    static class Unheard {
        private final Bunny bunny;

        Unheard(Bunny bunny) {
            this.bunny = bunny;
        }

        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {
            bunny.publish(new Shipped(order.orderId()));
        }
    }

    @Test
    void tellsWhatCanNeitherBeHandledNorSetAsideAndIsDownWhenItsQueueStandsStill() {
        ExecutorService threads = Executors.newCachedThreadPool();
        SystemTimeline timeline = new SystemTimeline("health");
        Nodes.memory()
                .withPropertyValues(
                        "safebunny.listener.prefetch=1",
                        "spring.lifecycle.timeout-per-shutdown-phase=200ms",
                        "safebunny.retry.max-retries=0",
                        "safebunny.delayed-retry.delays=")
                .withBean("refusing", Transport.class, () -> new NoPoison(threads, timeline))
                .withBean(Failing.class)
                .run(context -> {
                    SafeBunnyHealthIndicator indicator = context.getBean(SafeBunnyHealthIndicator.class);
                    assertThat(indicator.health().getDetails()).doesNotContainKey("held");
                    context.getBean(Bunny.class).publish(new OrderPlaced("1"));

                    Awaitility.await()
                            .untilAsserted(() ->
                                    assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN));
                    assertThat(indicator.health().getDetails()).hasEntrySatisfying("held", held -> assertThat(held)
                            .asString()
                            .contains("shop-OrderPlaced=1 message can neither be handled nor set aside: SB-2002"));
                });
        threads.shutdownNow();
        timeline.close();
    }

    @Test
    void canBeSwitchedOff() {
        Nodes.memory()
                .withPropertyValues("management.health.safebunny.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SafeBunnyHealthIndicator.class));
    }

    @Test
    void needsNoHealthSupport() {
        Nodes.memory()
                .withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("safebunnyHealthIndicator"));
    }

    static class Failing {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {
            throw new IllegalStateException("bad");
        }
    }

    /** Takes everything but poison. */
    static class NoPoison implements Transport {
        private final Transport memory;

        NoPoison(ExecutorService threads, SystemTimeline timeline) {
            memory = new MemoryTransport(new MemoryBroker(timeline, threads), TopologyOptions.defaults());
        }

        @Override
        public void start(Topology topology) {
            memory.start(topology);
        }

        @Override
        public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
            return memory.consume(queue, prefetch, handler);
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            return message.route() instanceof Route.Poison
                    ? CompletableFuture.failedFuture(new NackedException(message.publication(), "full"))
                    : memory.send(message, deadline);
        }

        @Override
        public TransportStatus status() {
            return memory.status();
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
