// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.handler.TrustedUsers;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneRules;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.RecordKey;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.topology.TopologyOptions.PoisonLimits;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nodes whose handler takes messages in order. */
class OrderedStartTest {

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final HandlerDefinition handler = new HandlerDefinition(
            "invoicing.on(OrderPlaced)",
            "OrderPlaced",
            OrderPlaced.class,
            List.of("orders"),
            10,
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
            (payload, context) -> {});

    private SafeBunnyEngine engine(Transport transport, @Nullable MessageStore withStore) {
        return new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), transport, timeline)
                .store(withStore)
                .build());
    }

    @Test
    void needAStore() {
        RecordingTransport transport = new RecordingTransport();

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> engine(transport, null).start(List.of(handler.ordered(Ordering.HOLD))))
                .withMessageContaining("SB-1120")
                .withMessageContaining("invoicing.on(OrderPlaced)");
        assertThat(transport.topology()).isNull();
    }

    @Test
    void takeThemFromAQueueOfTheirOwnWhereWhatIsOnItsWayArrives() {
        RecordingTransport transport = new RecordingTransport();
        SafeBunnyEngine engine = engine(transport, store);

        engine.start(List.of(handler.ordered(Ordering.HOLD)));

        Topology topology = Objects.requireNonNull(engine.topology());
        assertThat(topology.queues().get(0).name()).isEqualTo("billing-OrderPlaced.in");
        assertThat(topology.queues().get(0).hasSingleActiveConsumer()).isTrue();
        assertThat(topology.queues()).noneMatch(queue -> queue.name().equals("billing-OrderPlaced"));
        assertThat(topology.bindings())
                .filteredOn(binding -> binding.queue().equals("billing-OrderPlaced.in"))
                .extracting(binding -> binding.exchange() + " " + binding.routingKey())
                .containsExactlyInAnyOrder(
                        "safebunny orders-OrderPlaced",
                        "safebunny.due orders-OrderPlaced",
                        "safebunny.retry billing-OrderPlaced.in",
                        "safebunny.own billing-OrderPlaced.in",
                        "safebunny.retry billing-OrderPlaced",
                        "safebunny.own billing-OrderPlaced");
        assertThat(transport.pace("billing-OrderPlaced.in")).isNotNull();
        assertThat(transport.pace("billing-OrderPlaced")).isNull();
    }

    @Test
    void areRefusedWhereTheTypeIsTakenInTheOtherWay() {
        for (Ordering first : List.of(Ordering.NONE, Ordering.HOLD)) {
            MemoryBroker broker = new MemoryBroker(timeline, task -> {});
            engine(new MemoryTransport(broker, TopologyOptions.defaults()), store)
                    .start(List.of(handler.ordered(first)));
            Ordering second = first == Ordering.NONE ? Ordering.SKIP : Ordering.NONE;

            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> engine(new MemoryTransport(broker, TopologyOptions.defaults()), store)
                            .start(List.of(handler.ordered(second))))
                    .withMessageContaining("SB-1205")
                    .withMessageContaining("'billing-OrderPlaced'")
                    .withMessageContaining("'billing-OrderPlaced.in'")
                    .satisfies(e -> assertThat(e.action())
                            .contains("rabbitmqctl delete_queue "
                                    + handler.ordered(first).queue("billing")));
        }
    }

    private SafeBunnyEngine engine(SafeBunnyOptions options) {
        return new SafeBunnyEngine(SafeBunnyParts.builder(options, new RecordingTransport(), timeline)
                .store(store)
                .build());
    }

    /** Of trusted users nothing is replayed, and what is deleted cannot be. */
    @Test
    void holdBackOnlyForWhatCanBeReplayed() {
        TrustedUsers users = new TrustedUsers(Map.of("orders", "orders", "billing", "billing"));
        SafeBunnyOptions trusting = SafeBunnyOptions.of("billing").withTrustedUsers(users);
        SafeBunnyOptions forgetful = SafeBunnyOptions.of("billing")
                .withRetention(Duration.ofDays(7))
                .withTopology(TopologyOptions.defaults()
                        .withPoison(PoisonLimits.defaults().withTtl(Duration.ofDays(6))));

        for (SafeBunnyOptions options : List.of(trusting, forgetful)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> engine(options).start(List.of(handler.ordered(Ordering.HOLD))))
                    .withMessageContaining("SB-1122")
                    .withMessageContaining("invoicing.on(OrderPlaced)")
                    .satisfies(e -> assertThat(e.action()).contains("onPoison = SKIP"));
            engine(options).start(List.of(handler.ordered(Ordering.SKIP)));
        }
    }

    @Test
    void declareTheQueuesOfTheirShards() {
        RecordingTransport transport = new RecordingTransport();
        SafeBunnyEngine engine = engine(transport, store);

        engine.start(List.of(handler.ordered(Ordering.HOLD).sharded(Sharding.into(2))));

        assertThat(Objects.requireNonNull(engine.topology()).queues())
                .extracting(Topology.Queue::name)
                .startsWith("billing-OrderPlaced.in", "billing-OrderPlaced.0", "billing-OrderPlaced.1")
                .doesNotContain("billing-OrderPlaced.2");
    }

    @Test
    void haveShardsOnlyInOrder() {
        RecordingTransport transport = new RecordingTransport();

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> engine(transport, store).start(List.of(handler.sharded(Sharding.into(4)))))
                .withMessageContaining("SB-1105")
                .withMessageContaining("handler=invoicing.on(OrderPlaced), type=OrderPlaced, shards=4")
                .satisfies(e -> assertThat(e.action()).contains("ordered = true"));
        assertThat(transport.topology()).isNull();
    }

    /** A copy in a shard has the user of the node that sent it there. */
    @Test
    void haveNoShardsWhereSendersAreChecked() {
        TrustedUsers users = new TrustedUsers(Map.of("orders", "orders", "billing", "billing"));
        SafeBunnyOptions trusting = SafeBunnyOptions.of("billing").withTrustedUsers(users);
        HandlerDefinition divided = handler.ordered(Ordering.SKIP).sharded(Sharding.into(4));

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> engine(trusting).start(List.of(divided)))
                .withMessageContaining("SB-1105")
                .withMessageContaining("invoicing.on(OrderPlaced)")
                .withMessageContaining("shards=4, from=[orders], safebunny.listener.trusted-users")
                .satisfies(e -> assertThat(e.action()).contains("Remove shards", "safebunny.listener.trusted-users"));
        engine(trusting).start(List.of(divided.sharded(null)));
    }

    /** What waits in the store was acknowledged long ago. */
    @Test
    void leaveNothingBehindThatNobodyHandles() {
        RecordKey lane = LaneDocument.key("o-7", "OrderPlaced");
        Lane held = LaneRules.holds(Lane.UNUSED, "m1", timeline.now());
        store.writeTogether(List.of(LaneDocument.write(lane, null, held, "tester")));

        RecordingTransport transport = new RecordingTransport();
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> engine(transport, store).start(List.of(handler)))
                .withMessageContaining("SB-1122")
                .withMessageContaining("type=OrderPlaced, order keys=1");
        assertThat(transport.topology()).isNull();
        engine(transport, store).start(List.of(handler.ordered(Ordering.HOLD)));
    }

    @Test
    void warnOfWhatWaitsForAHandlerThatIsGone() {
        RecordKey lane = LaneDocument.key("o-7", "OrderPlaced");
        Lane due = LaneRules.waits(Lane.UNUSED, "m1", timeline.now(), timeline.now());
        store.writeTogether(List.of(LaneDocument.write(lane, null, due, "tester")));
        HandlerDefinition other = new HandlerDefinition(
                "invoicing.on(PaymentCaptured)",
                "PaymentCaptured",
                PaymentCaptured.class,
                List.of("orders"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {});

        try (LogLines lines = new LogLines("io.safebunny.order.draining")) {
            engine(new RecordingTransport(), store).start(List.of(other));

            assertThat(lines.texts())
                    .anyMatch(line -> line.contains("nobody handles them") && line.contains("OrderPlaced"));
        }
    }
}
