// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.autoconfigure.health.HealthDefaults;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.failure.NackedException;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.env.MockEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class HealthTest {

    private static final Status DEGRADED = new Status("DEGRADED");

    @Test
    void tellsNodeAndTransport() {
        Nodes.memory().run(context -> {
            Health health = Healths.part(context, "broker");
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("node", "shop")
                    .containsEntry("transport", "memory")
                    .containsEntry("detail", "in-memory broker");
        });
    }

    @Test
    void aNodeWithAStoreAndWithoutSagasIsUp() {
        Nodes.memory().withPropertyValues("safebunny.store.type=memory").run(context -> {
            assertThat(Healths.part(context, "sagas").getStatus()).isEqualTo(Status.UP);
            assertThat(Healths.part(context, "sagas").getDetails()).containsEntry("detail", "this node has no sagas");
        });
    }

    /** Asks while the beans are made. */
    static class Early implements SmartInitializingSingleton {
        private final ApplicationContext context;
        private @Nullable Health sagas;

        Early(ApplicationContext context) {
            this.context = context;
        }

        @Override
        public void afterSingletonsInstantiated() {
            sagas = Healths.part(context, "sagas");
        }
    }

    @Test
    void beforeItsStartNobodyKnowsWhetherTheNodeHasSagas() {
        Nodes.memory()
                .withPropertyValues("safebunny.store.type=memory")
                .withBean(Early.class)
                .run(context -> {
                    assertThat(context.getBean(Early.class).sagas)
                            .isEqualTo(Health.unknown()
                                    .withDetail("detail", "not started yet")
                                    .build());
                    assertThat(Healths.part(context, "sagas").getStatus()).isEqualTo(Status.UP);
                });
    }

    @Test
    void isDownWhenTheTransportIs() {
        Nodes.memory().run(context -> {
            context.getBean(Transport.class).close();
            assertThat(Healths.part(context, "broker").getStatus()).isEqualTo(Status.DOWN);
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

                    Awaitility.await().untilAsserted(() -> assertThat(
                                    Healths.part(context, "publications").getDetails())
                            .containsEntry("messages", 2)
                            .containsEntry("destinations", Map.of("shop-Shipped", 2))
                            .containsKey("oldest"));
                    assertThat(Healths.part(context, "publications").getStatus())
                            .isEqualTo(DEGRADED);
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
                    assertThat(Healths.part(context, "poison").getStatus()).isEqualTo(Status.UP);
                    context.getBean(Bunny.class).publish(new OrderPlaced("1"));

                    Awaitility.await().untilAsserted(() -> assertThat(
                                    Healths.part(context, "poison").getStatus())
                            .isEqualTo(Status.DOWN));
                    assertThat(Healths.part(context, "broker").getStatus()).isEqualTo(Status.UP);
                    assertThat(Healths.part(context, "poison").getDetails())
                            .containsEntry("blocked", "shop-OrderPlaced")
                            .hasEntrySatisfying(
                                    "held",
                                    held -> assertThat(held)
                                            .asString()
                                            .contains(
                                                    "shop-OrderPlaced=1 message can neither be handled nor set aside: SB-2002"));
                });
        threads.shutdownNow();
        timeline.close();
    }

    @Test
    void lossOfTheBrokerRestartsNoPodAndTakesNoneOutOfService() {
        endpoint().run(context -> {
            HealthEndpoint endpoint = Healths.ready(context);
            assertThat(endpoint.health().getStatus()).isEqualTo(Status.UP);

            context.getBean(Transport.class).close();

            assertThat(endpoint.health().getStatus()).isEqualTo(Status.DOWN);
            assertThat(Healths.statusOf(endpoint, "safebunny", "broker")).isEqualTo(Status.DOWN);
            assertThat(Healths.statusOf(endpoint, "liveness")).isEqualTo(Status.UP);
            assertThat(Healths.statusOf(endpoint, "readiness")).isEqualTo(Status.UP);
        });
    }

    @Test
    void aPausedTypeDegradesTheWholeAndSaysWhy() {
        endpoint().withBean(Failing.class).run(context -> {
            BunnyOperations operations = context.getBean(BunnyOperations.class);
            HealthEndpoint endpoint = Healths.ready(context);

            operations.pause("OrderPlaced", Duration.ofHours(1), BunnyOperations.Scope.INSTANCE, "gateway", "kim");

            assertThat(endpoint.health().getStatus()).isEqualTo(DEGRADED);
            assertThat(Healths.part(context, "breakers").getDetails().get("OrderPlaced"))
                    .asString()
                    .startsWith("OPEN until ")
                    .contains("(paused by kim: gateway)");
            assertThat(HttpCodeStatusMapper.getDefault().getStatusCode(DEGRADED))
                    .isEqualTo(200);

            operations.resume("OrderPlaced", BunnyOperations.Scope.INSTANCE, "mended", "kim");

            assertThat(endpoint.health().getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void theOrderOfStatusesIsADefaultThatTheApplicationMayReplace() {
        MockEnvironment own =
                new MockEnvironment().withProperty("management.endpoint.health.status.order", "down,up,degraded");
        MockEnvironment off = new MockEnvironment().withProperty("safebunny.enabled", "false");
        HealthDefaults processor = new HealthDefaults();

        processor.postProcessEnvironment(own, new SpringApplication());
        processor.postProcessEnvironment(off, new SpringApplication());

        assertThat(own.getProperty("management.endpoint.health.status.order")).isEqualTo("down,up,degraded");
        assertThat(off.getProperty("management.endpoint.health.status.order")).isNull();
    }

    @Test
    void withMessagesInMemoryABrokerThatNothingNamesIsNotLookedAt() {
        String looked = "management.health.rabbit.enabled";
        MockEnvironment memory = new MockEnvironment().withProperty("safebunny.transport", "memory");
        MockEnvironment named = new MockEnvironment()
                .withProperty("safebunny.transport", "memory")
                .withProperty("spring.rabbitmq.addresses", "other:5672");
        MockEnvironment rabbit = new MockEnvironment();
        HealthDefaults processor = new HealthDefaults();

        Stream.of(memory, named, rabbit)
                .forEach(environment -> processor.postProcessEnvironment(environment, new SpringApplication()));

        assertThat(memory.getProperty(looked)).isEqualTo("false");
        assertThat(named.getProperty(looked)).isNull();
        assertThat(rabbit.getProperty(looked)).isNull();
    }

    private static ApplicationContextRunner endpoint() {
        return Healths.withEndpoint(Nodes.memory());
    }

    @Test
    void tellsSinceWhenTheStoreDoesNotAnswer() {
        AtomicBoolean gone = new AtomicBoolean();
        MessageStore memory = new MemoryMessageStore(new SystemTimeline("store"), Duration.ofDays(1));
        MessageStore store = (MessageStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MessageStore.class}, (proxy, method, arguments) -> {
                    if (gone.get()) {
                        throw new StoreUnavailableException("it is gone", null, null);
                    }
                    return method.invoke(memory, arguments);
                });
        Nodes.memory()
                .withBean(MessageStore.class, () -> store)
                .withPropertyValues("safebunny.dedup.lease=2s")
                .withBean(Failing.class)
                .run(context -> {
                    assertThat(Healths.part(context, "store").getStatus()).isEqualTo(Status.UP);
                    gone.set(true);
                    context.getBean(Bunny.class).publish(new OrderPlaced("1"));

                    Awaitility.await().untilAsserted(() -> assertThat(
                                    Healths.part(context, "store").getStatus())
                            .isEqualTo(Status.DOWN));
                    assertThat(Healths.part(context, "store").getDetails())
                            .containsKey("since")
                            .hasEntrySatisfying(
                                    "reason",
                                    reason -> assertThat(reason).asString().contains("it is gone"));

                    gone.set(false);
                    Awaitility.await().untilAsserted(() -> assertThat(
                                    Healths.part(context, "store").getStatus())
                            .isEqualTo(Status.UP));
                });
    }

    @Test
    void canBeSwitchedOff() {
        Nodes.memory()
                .withPropertyValues("management.health.safebunny.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("safebunnyHealthContributor"));
    }

    @Test
    void needsNoHealthSupport() {
        Nodes.memory()
                .withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("safebunnyHealthContributor"));
    }

    static class Failing {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {
            throw new IllegalStateException("bad");
        }
    }

    /** Takes everything but poison. */
    static class NoPoison extends ForwardingTransport {
        NoPoison(ExecutorService threads, SystemTimeline timeline) {
            super(new MemoryTransport(new MemoryBroker(timeline, threads), TopologyOptions.defaults()));
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            return message.route() instanceof Route.Poison
                    ? CompletableFuture.failedFuture(new NackedException(message.publication(), "full"))
                    : super.send(message, deadline);
        }
    }
}
