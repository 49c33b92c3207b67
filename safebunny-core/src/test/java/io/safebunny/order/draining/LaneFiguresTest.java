// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.handler.Ordering;
import io.safebunny.operations.NodeCondition;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneRules;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What waits in order is counted in the store, and shown by meters. */
class LaneFiguresTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final MessageStore memory = OrderedStores.memory(new ArrayList<>());
    private boolean isSilent;
    private int asked;

    private final MessageStore store = new ForwardingMessageStore(memory) {
        @Override
        public List<MessageRecord> findListed(ListingQuery query) {
            if (query.kind().equals(LaneDocument.KIND) && query.createdBefore() == null) {
                asked++;
                if (isSilent) {
                    throw new StoreUnavailableException("The store is silent", null, null);
                }
            }
            return super.findListed(query);
        }
    };

    private static double meter(OrderedNode node, String name) {
        return node.meters.get(name).tag("type", "OrderPlaced").gauge().value();
    }

    private static void shows(OrderedNode node, int held, int parked, int full) {
        assertThat(List.of(
                        meter(node, "safebunny.order.held"),
                        meter(node, "safebunny.order.parked"),
                        meter(node, "safebunny.order.full")))
                .containsExactly((double) held, (double) parked, (double) full);
    }

    @Test
    void showsNothingBeforeAnythingWaits() {
        OrderedNode node = new OrderedNode(store, timeline, Ordering.HOLD);

        shows(node, 0, 0, 0);
        timeline.advance(LEASE);
        shows(node, 0, 0, 0);
        assertThat(meter(node, "safebunny.order.held.age")).isZero();
    }

    @Test
    void tellsWhatWaitsForARetryFromWhatIsHeld() {
        OrderedNode node = new OrderedNode(store, timeline, Ordering.HOLD).failing("m1", 9);
        Stream.of("m1", "m2", "m3").forEach(node::deliver);
        MessageRecord waiting = LaneDocument.write(
                LaneDocument.key("order-8", "OrderPlaced"),
                null,
                LaneRules.parks(LaneRules.waits(
                        Lane.UNUSED, "w1", timeline.now(), timeline.now().plus(Duration.ofHours(1)))),
                "another");
        var unused = memory.create(waiting);

        timeline.advance(LEASE); // the head fails for the last time after 20 s

        shows(node, 1, 3, 0);
        assertThat(meter(node, "safebunny.order.held.age")).isEqualTo(10);
        timeline.advance(Duration.ofSeconds(5));
        assertThat(meter(node, "safebunny.order.held.age")).isEqualTo(15);
    }

    @Test
    void showsWhatIsHeldNoMoreOnceItGoesOn() {
        OrderedNode node = new OrderedNode(store, timeline, Ordering.HOLD).failing("m1", 3);
        Stream.of("m1", "m2").forEach(node::deliver);
        timeline.advance(LEASE);
        shows(node, 1, 1, 0);

        node.replay(node.transport.poisoned().get(0));
        timeline.advance(LEASE);

        assertThat(node.effects).containsExactly("m1", "m2");
        shows(node, 0, 0, 0);
        assertThat(meter(node, "safebunny.order.held.age")).isZero();
    }

    @Test
    void countsKeysThatAreFull() {
        OrderedNode node = new OrderedNode(store, timeline, Ordering.HOLD);
        held("order-9", Lane.MOST_PARKED);
        held("order-10", Lane.MOST_PARKED - 1);

        timeline.advance(LEASE);

        shows(node, 2, 1_999, 1);
    }

    @Test
    void keepsTheLastFiguresWhileTheStoreIsSilent() {
        OrderedNode node = new OrderedNode(store, timeline, Ordering.HOLD);
        held("order-9", 7);
        timeline.advance(LEASE);

        isSilent = true;
        held("order-10", 7);
        timeline.advance(LEASE);

        shows(node, 1, 7, 0);
    }

    /** The type stands still for its key, and says so. */
    @Test
    void healthTellsOfAKeyThatIsFull() {
        OrderedNode node = new OrderedNode(store, timeline, Ordering.HOLD).failing("m0", 3);
        assertThat(order(node).level()).isEqualTo(Level.UNKNOWN);
        IntStream.rangeClosed(0, Lane.MOST_PARKED).forEach(i -> node.deliver("m" + i));
        timeline.advance(LEASE);
        RecordedDelivery late = node.deliver("late");

        timeline.advance(LEASE);

        assertThat(late.acknowledged()).isZero();
        assertThat(order(node).level()).isEqualTo(Level.DEGRADED);
        assertThat(order(node).words())
                .contains("OrderPlaced is full for key order-7", "Replay or discard message m0", "onPoison = SKIP");

        node.replay(node.transport.poisoned().get(0));
        timeline.advance(LEASE);

        assertThat(order(node).level()).isEqualTo(Level.UP);
    }

    private static NodeCondition order(OrderedNode node) {
        return Objects.requireNonNull(node.engine.conditions().get("order")).get();
    }

    /** Two statuses, each at most a thousand lanes in portions of 100, once a lease. */
    @Test
    void readsAThousandLanesInARoundAndNoMore() {
        IntStream.range(0, 1_200).forEach(key -> {
            timeline.advance(Duration.ofMillis(1));
            held("many-" + key, 1);
        });
        OrderedNode node = new OrderedNode(store, timeline, Ordering.HOLD);
        asked = 0;

        timeline.advance(LEASE);

        assertThat(asked).isLessThanOrEqualTo(13);
        assertThat(meter(node, "safebunny.order.held")).isBetween(1_000.0, 1_100.0);
    }

    private void held(String key, int parked) {
        Lane lane = LaneRules.holds(Lane.UNUSED, "h-" + key, timeline.now());
        for (int i = 0; i < parked; i++) {
            lane = LaneRules.parks(lane);
        }
        var unused = memory.create(LaneDocument.write(LaneDocument.key(key, "OrderPlaced"), null, lane, "another"));
    }
}
