// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.PublishOptions;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.operations.NodeCondition;
import io.safebunny.order.sharding.ShardStatus;
import io.safebunny.order.sharding.Shards;
import io.safebunny.store.MessageStore;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Instances of a node that divide the same type, perhaps among different numbers of shards. */
class ShardedNodesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final MessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final List<String> handled = new ArrayList<>();
    private final Map<SafeBunnyEngine, SafeBunnyParts> parts = new HashMap<>();
    private final SafeBunnyEngine orders = engine("orders");

    private SafeBunnyEngine engine(String node) {
        SafeBunnyParts own = SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .store(store)
                .callbacks(Runnable::run)
                .build();
        SafeBunnyEngine engine = new SafeBunnyEngine(own);
        parts.put(engine, own);
        return engine;
    }

    private HandlerDefinition handler(@Nullable Sharding sharding) {
        HandlerDefinition whole = new HandlerDefinition(
                        "invoicing.on(OrderPlaced)",
                        "OrderPlaced",
                        OrderPlaced.class,
                        List.of("orders"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> handled.add(((OrderPlaced) payload).orderId()))
                .ordered(Ordering.HOLD);
        return sharding == null ? whole : whole.sharded(sharding);
    }

    private SafeBunnyEngine instance(@Nullable Sharding sharding) {
        SafeBunnyEngine engine = engine("billing");
        engine.start(List.of(handler(sharding)));
        return engine;
    }

    private CircuitBreakers breakers(SafeBunnyEngine engine) {
        return Objects.requireNonNull(parts.get(engine)).breakers();
    }

    private void publish(int first, int last) {
        for (int number = first; number <= last; number++) {
            orders.bunny()
                    .publishNow(
                            new OrderPlaced(String.valueOf(number), number),
                            PublishOptions.none().withOrderKey("key-" + number % 7));
        }
    }

    private ShardStatus status(SafeBunnyEngine engine) {
        return engine.get(Shards.class).statuses().get(0);
    }

    private static NodeCondition order(SafeBunnyEngine engine) {
        return Objects.requireNonNull(engine.conditions().get("order")).get();
    }

    private void expectAll(int last) {
        assertThat(handled).hasSize(last).doesNotHaveDuplicates();
        for (int key = 0; key < 7; key++) {
            int remainder = key;
            List<Integer> ofKey = handled.stream()
                    .map(Integer::valueOf)
                    .filter(number -> number % 7 == remainder)
                    .toList();
            assertThat(ofKey).isEqualTo(List.copyOf(new TreeSet<>(ofKey)));
        }
    }

    @Test
    void handlesAllInOrderAndTellsWhatItsShardsDo() {
        orders.start(List.of());
        SafeBunnyEngine engine = instance(Sharding.into(4));

        publish(1, 50);
        timeline.advance(MINUTE);

        expectAll(50);
        ShardStatus status = status(engine);
        assertThat(status.wanted()).isEqualTo(4);
        assertThat(status.present()).isEqualTo(4);
        assertThat(status.change()).isNull();
        assertThat(status.problem()).isNull();
        assertThat(status.shards()).hasSize(4).allSatisfy(line -> {
            assertThat(line.isHeard()).isTrue();
            assertThat(line.isListened()).isTrue();
        });
    }

    @Test
    void withoutListenAnyInstanceTakesOverTheShardsOfAnother() {
        orders.start(List.of());
        SafeBunnyEngine first = instance(Sharding.parse(4, ""));
        SafeBunnyEngine second = instance(Sharding.parse(4, ""));
        publish(1, 30);
        breakers(first).open(OrderPlaced.class, Duration.ofHours(1)); // with some forwarded, and some not
        publish(31, 60);
        timeline.advance(MINUTE);
        expectAll(60);
        breakers(first).close(OrderPlaced.class);

        publish(61, 80);
        second.stop(Duration.ZERO);
        publish(81, 100);
        timeline.advance(MINUTE);

        expectAll(100);
        assertThat(status(first).shards()).hasSize(4).allMatch(ShardStatus.Line::isListened);
        assertThat(order(first).level()).isEqualTo(NodeCondition.Level.UP);
    }

    @Test
    void isRefusedWhileInstancesWithoutShardsHandleTheType() {
        SafeBunnyEngine whole = instance(null);

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> instance(Sharding.into(4)))
                .withMessageContaining("SB-1205")
                .withMessageContaining("'billing-OrderPlaced.in'")
                .satisfies(e -> assertThat(e.action()).contains("Stop all instances"));

        whole.stop(Duration.ZERO);
        instance(null).stop(Duration.ZERO); // nothing has changed for instances without shards
        SafeBunnyEngine first = instance(Sharding.into(4));
        SafeBunnyEngine second = instance(Sharding.into(4));
        assertThat(status(first).present()).isEqualTo(4);
        assertThat(status(second).present()).isEqualTo(4);
    }

    @Test
    void isRefusedWithoutShardsWhileInstancesOrMessagesAreLeft() {
        orders.start(List.of());
        SafeBunnyEngine divided = instance(Sharding.parse(4, "0,2-3"));
        assertRefusedWithoutShards("instances with shards are running");
        publish(1, 50);
        timeline.advance(MINUTE);
        divided.stop(Duration.ZERO);
        assertRefusedWithoutShards("messages wait in queue 'billing-OrderPlaced.1'");

        SafeBunnyEngine other = instance(Sharding.parse(4, "1"));
        timeline.advance(MINUTE);
        other.stop(Duration.ZERO);
        SafeBunnyEngine whole = instance(null);
        publish(51, 60);
        timeline.advance(MINUTE);

        expectAll(60);
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> instance(Sharding.into(4)))
                .withMessageContaining("'billing-OrderPlaced.in'");
        whole.stop(Duration.ZERO);
        SafeBunnyEngine again = instance(Sharding.into(4));
        assertThat(status(again).present()).isEqualTo(4);
    }

    private void assertRefusedWithoutShards(String why) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> instance(null))
                .withMessageContaining("SB-1205")
                .withMessageContaining(why)
                .satisfies(e -> assertThat(e.action()).contains("shards = \"1\""));
    }

    @Test
    void anInstanceWithFewerShardsHandlesWhatOneWithMoreHasForwardedMeanwhile() {
        orders.start(List.of());
        SafeBunnyEngine few = instance(Sharding.into(2));
        publish(1, 20);
        timeline.advance(MINUTE);
        SafeBunnyEngine many = instance(Sharding.into(5));
        breakers(few).open(OrderPlaced.class, Duration.ofHours(1)); // the other one takes over
        publish(21, 40);
        timeline.advance(MINUTE);
        assertThat(status(few).present()).isEqualTo(5);
        many.stop(Duration.ZERO);
        breakers(few).close(OrderPlaced.class);

        publish(41, 60);
        timeline.advance(MINUTE);

        expectAll(60);
        assertThat(status(few).present()).isEqualTo(2);
    }

    @Test
    void aShardThatNobodyListensToIsTold() {
        orders.start(List.of());
        SafeBunnyEngine engine = instance(Sharding.parse(4, "0,2-3"));
        publish(1, 50);
        timeline.advance(MINUTE);
        timeline.advance(MINUTE);

        assertThat(order(engine).level()).isEqualTo(NodeCondition.Level.DEGRADED);
        assertThat(order(engine).words()).contains("No instance listens to shards [1] of OrderPlaced");
        assertThat(handled).hasSizeLessThan(50);
        SafeBunnyEngine other = instance(Sharding.parse(4, "1"));
        timeline.advance(MINUTE);
        timeline.advance(MINUTE);
        expectAll(50);
        assertThat(order(engine).level()).isEqualTo(NodeCondition.Level.UP);
        other.stop(Duration.ZERO);
    }

    /** An instance may have them all, none of which is left in the queue. */
    @Test
    void aChangeThatStandsStillIsToldHoweverFewMessagesWaitForIt() {
        orders.start(List.of());
        SafeBunnyEngine before = instance(Sharding.parse(4, "0,2-3"));
        publish(1, 10);
        timeline.advance(MINUTE);
        before.stop(Duration.ZERO);

        SafeBunnyEngine after = instance(Sharding.parse(2, "0"));
        publish(11, 13);
        timeline.advance(MINUTE.multipliedBy(3));
        assertThat(order(after).words())
                .contains("OrderPlaced is to have 2 shards instead of 4 since")
                .contains("until shards [1] have handled what they had before");

        SafeBunnyEngine other = instance(Sharding.parse(2, "1"));
        timeline.advance(MINUTE.multipliedBy(2));
        expectAll(13);
        assertThat(order(after).level()).isEqualTo(NodeCondition.Level.UP);
        other.stop(Duration.ZERO);
    }
}
