// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.NotRunningException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.store.Outbox;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SafeBunnyEngineTest {

    private final RecordingTransport transport = new RecordingTransport();
    private final List<Object> handled = new ArrayList<>();
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final SafeBunnyEngine engine =
            new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), transport, timeline)
                    .build());
    private final HandlerDefinition handler = new HandlerDefinition(
            "invoicing.on(OrderPlaced)",
            "OrderPlaced",
            OrderPlaced.class,
            List.of("orders", "storefront"),
            10,
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
            (payload, context) -> handled.add(payload));

    @Test
    void appliesTheTopologyOfItsHandlersAndConsumes() {
        engine.start(List.of(handler));
        transport.deliver(
                new RecordedDelivery("billing-OrderPlaced", Wires.orderPlaced().wire()));

        assertThat(transport.topology())
                .isEqualTo(TopologyPlanner.plan(
                        "billing",
                        List.of(new Subscription("OrderPlaced", List.of("orders", "storefront"))),
                        TopologyOptions.defaults()));
        assertThat(handled).containsExactly(new OrderPlaced("o-1", 42));
    }

    @Test
    void publishesWithoutHandlers() {
        engine.start(List.of());

        assertThat(engine.bunny().publish(new OrderPlaced("o-1", 1)).messageId())
                .hasSize(36);
        assertThat(transport.published()).hasSize(1);
    }

    @Test
    void refusesAtOnceToPublishBeforeItHasStarted() {
        transport.answerAll(RecordingTransport.LOSE_CONNECTION);

        assertThatExceptionOfType(NotRunningException.class)
                .isThrownBy(() -> engine.bunny().publish(new OrderPlaced("o-1", 1)))
                .withMessageStartingWith("SB-2006")
                .withMessageContaining("has not started yet")
                .withMessageContaining("ApplicationRunner");
        assertThatExceptionOfType(NotRunningException.class)
                .isThrownBy(() -> engine.bunny().publishNow(new OrderPlaced("o-1", 1)));
        assertThat(engine.bunny().publishAsync(new OrderPlaced("o-1", 1)))
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(NotRunningException.class);
        assertThat(transport.attempted()).isEmpty();
        assertThat(timeline.elapsed()).isZero();
    }

    @Test
    void refusesAtOnceToPublishAfterItHasStopped() {
        engine.start(List.of());
        engine.stop(Duration.ofSeconds(1));

        assertThatExceptionOfType(NotRunningException.class)
                .isThrownBy(() -> engine.bunny().publish(new OrderPlaced("o-1", 1)))
                .withMessageContaining("has stopped");
        assertThat(transport.attempted()).isEmpty();
    }

    @Test
    void refusesAtOnceToPublishWhenItsStartFailed() {
        SafeBunnyEngine failing = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("billing"), new Unstartable(transport), VirtualTimeline.skipping())
                .build());

        assertThatExceptionOfType(ConfigurationException.class).isThrownBy(() -> failing.start(List.of()));
        assertThatExceptionOfType(NotRunningException.class)
                .isThrownBy(() -> failing.bunny().publish(new OrderPlaced("o-1", 1)));
    }

    @Test
    void waitsForABrokerThatIsAwayOnceItHasStarted() {
        transport.answerAll(RecordingTransport.LOSE_CONNECTION);
        engine.start(List.of());

        assertThat(engine.bunny().publishAsync(new OrderPlaced("o-1", 1))).isNotDone();
        assertThat(transport.attempted()).hasSize(1);
    }

    @Test
    void stops() {
        engine.start(List.of(handler));
        engine.stop(Duration.ofSeconds(1));

        assertThat(engine.status().usable()).isTrue();
    }

    /** Else what interrupts a handler, while the rest of the stop takes its time, is recorded as the handler's failure. */
    @Test
    void closesTheDeliveriesBeforeAnythingElseWhenTheGraceIsOver() throws Exception {
        VirtualTimeline timeline = VirtualTimeline.skipping();
        ExecutorService threads = Executors.newCachedThreadPool();
        MemoryTransport memory = new MemoryTransport(new MemoryBroker(timeline, threads), TopologyOptions.defaults());
        AtomicBoolean usable = new AtomicBoolean(true);
        SafeBunnyEngine forced =
                new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of("orders"), memory, timeline)
                        .outbox(new Outbox() {
                            @Override
                            public List<Unsent> findCorrelated(String correlationId, int limit) {
                                return List.of();
                            }

                            @Override
                            public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
                                return List.of();
                            }

                            @Override
                            public boolean add(OutboundMessage message) {
                                return false;
                            }

                            @Override
                            public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {}

                            @Override
                            public void stop() {
                                usable.set(memory.status().usable());
                            }
                        })
                        .build());
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        forced.start(List.of(new HandlerDefinition(
                "invoicing.on(OrderPlaced)",
                "OrderPlaced",
                OrderPlaced.class,
                List.of("orders"),
                10,
                handler.recovery(),
                (payload, context) -> {
                    begun.countDown();
                    end.await();
                })));
        try {
            assertThat(forced.bunny().publish(new OrderPlaced("o-1", 1)).messageId())
                    .isNotEmpty();
            assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
            forced.stop(Duration.ofSeconds(1));
        } finally {
            end.countDown();
            threads.shutdown();
        }

        assertThat(usable).isFalse();
    }

    @Test
    void refusesRetriesThatTakeLongerThanHandledMessagesAreRemembered() {
        SafeBunnyEngine remembering = new SafeBunnyEngine(
                SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), transport, VirtualTimeline.skipping())
                        .store(new MemoryMessageStore(VirtualTimeline.skipping(), Duration.ofDays(7)))
                        .build());
        HandlerDefinition patient = new HandlerDefinition(
                "invoicing.on(OrderPlaced)",
                "OrderPlaced",
                OrderPlaced.class,
                List.of("orders"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(7, Duration.ofDays(1))),
                handler.invoker());

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> remembering.start(List.of(patient)))
                .withMessageContaining("invoicing.on(OrderPlaced)")
                .withMessageContaining("safebunny.dedup.retention");
    }

    @Test
    void refusesANodeThatCannotBeNamedOnTheBroker() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> SafeBunnyOptions.of("Billing Service"))
                .withMessageContaining("safebunny.node");
    }

    /** The broker holds something else. */
    private static final class Unstartable extends ForwardingTransport {

        Unstartable(RecordingTransport other) {
            super(other);
        }

        @Override
        public void start(Topology topology) {
            throw new ConfigurationException("SB-1201", "A clash.", "Mend it.");
        }
    }
}
