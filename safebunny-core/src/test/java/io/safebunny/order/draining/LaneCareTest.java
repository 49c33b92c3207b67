// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.Ordering;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.Lane.State;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneRules;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Lanes around the handling of their messages: limits, pauses, stops, and what never gets to its handler. */
class LaneCareTest {

    private static final Duration LONG = Duration.ofHours(1);

    private final VirtualTimeline timeline = new VirtualTimeline();

    static Stream<Named<Function<List<String>, MessageStore>>> stores() {
        return OrderedStores.all();
    }

    /** What a later version takes, which cannot read the order id. */
    record Strict(Nested orderId) {
        record Nested(int number) {}
    }

    // ---- what is refused before it is claimed

    @ParameterizedTest
    @MethodSource("stores")
    void setsAsideOnceWhatTheNewVersionCannotReadAndHoldsWhatIsBehindIt(Function<List<String>, MessageStore> store) {
        MessageStore shared = store.apply(new ArrayList<>());
        OrderedNode first = new OrderedNode(shared, timeline, Ordering.HOLD).failing("m1", 1);
        Stream.of("m1", "m2").forEach(first::deliver);
        first.stop();

        OrderedNode second = new OrderedNode(shared, timeline, Ordering.HOLD, first.effects, Strict.class, 10);
        timeline.advance(LONG);

        assertThat(second.transport.poisoned()).hasSize(1);
        assertThat(second.state("m1")).isEqualTo(RecordState.POISONED);
        assertThat(second.lane().state()).isEqualTo(State.HELD);
        second.stop();
        OrderedNode repaired = new OrderedNode(shared, timeline, Ordering.HOLD, first.effects);
        MessageRecord record = repaired.stored("m1");
        repaired.replay(second.transport.poisoned().get(0), record.version());
        timeline.advance(Duration.ZERO);
        assertThat(repaired.effects).containsExactly("m1", "m2");
        assertThat(repaired.lane().isFree()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void goesOnWithoutWhatCannotBeReadIfPoisonIsSkipped(Function<List<String>, MessageStore> store) {
        MessageStore shared = store.apply(new ArrayList<>());
        OrderedNode first = new OrderedNode(shared, timeline, Ordering.SKIP).failing("m1", 1);
        Stream.of("m1", "m2").forEach(first::deliver);
        first.stop();

        OrderedNode second = new OrderedNode(shared, timeline, Ordering.SKIP, first.effects, Strict.class, 10);
        timeline.advance(LONG);

        assertThat(second.transport.poisoned()).hasSize(2);
        assertThat(second.lane().isFree()).isTrue();
    }

    // ---- how many run

    @Test
    void runsNoMoreFromTheStoreAtOnceThanItsPrefetch() {
        OrderedNode node = new OrderedNode(
                OrderedStores.memory(new ArrayList<>()),
                timeline,
                Ordering.HOLD,
                new ArrayList<>(),
                OrderPlaced.class,
                1);
        int[] running = {0};
        int[] most = {0};
        int[] failures = {2};
        node.handler = (payload, context) -> {
            if (failures[0]-- > 0) {
                throw new IllegalStateException("no stock");
            }
            most[0] = Math.max(most[0], ++running[0]);
            timeline.advance(Duration.ofMillis(10)); // others become due
            running[0]--;
        };
        node.deliver(OrderedNode.message("a"));
        node.deliver(OrderedNode.message("b").withHeader("sb-order-key", "another"));

        timeline.advance(OrderedNode.RETRY.plusSeconds(1));

        assertThat(node.effects).containsExactly("a", "b");
        assertThat(most[0]).isEqualTo(1);
    }

    // ---- a stop

    @Test
    void waitsAtAStopForWhatRunsFromTheStore() throws Exception {
        OrderedNode node = new OrderedNode(OrderedStores.memory(new ArrayList<>()), timeline, Ordering.HOLD);
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        boolean[] isFirst = {true};
        node.handler = (payload, context) -> {
            if (isFirst[0]) {
                isFirst[0] = false;
                throw new IllegalStateException("no stock");
            }
            begun.complete(null);
            goOn.get(1, TimeUnit.MINUTES);
        };
        Stream.of("m1", "m2").forEach(node::deliver);
        CompletableFuture<Void> running = CompletableFuture.runAsync(() -> timeline.advance(OrderedNode.RETRY));
        begun.get(1, TimeUnit.MINUTES);

        CompletableFuture<List<String>> stopped = new CompletableFuture<>();
        Thread stopping = new Thread(() -> {
            node.stop(Duration.ofMinutes(1));
            stopped.complete(List.copyOf(node.effects));
        });
        stopping.start();
        while (stopping.getState() != Thread.State.WAITING && stopping.isAlive()) {
            Thread.onSpinWait();
        }
        goOn.complete(null);

        assertThat(stopped.get(1, TimeUnit.MINUTES)).containsExactly("m1");
        running.get(1, TimeUnit.MINUTES);
        assertThat(node.effects).as("nothing begins after that").containsExactly("m1");
        assertThat(node.state("m1")).isEqualTo(RecordState.DISPATCHED);
    }

    // ---- many lanes

    /** The oldest are of a type that nobody handles any more. */
    @Test
    void findsWhatItCanRunBehindManyThatItCannot() {
        MessageStore shared = OrderedStores.memory(new ArrayList<>());
        for (int i = 0; i < 250; i++) {
            Lane gone = LaneRules.waits(Lane.UNUSED, "m", timeline.now(), timeline.now());
            shared.writeTogether(List.of(LaneDocument.write(LaneDocument.key("k" + i, "Gone"), null, gone, "tester")));
        }
        OrderedNode first = new OrderedNode(shared, timeline, Ordering.HOLD).failing("m1", 1);
        Stream.of("m1", "m2").forEach(first::deliver);
        first.stop();

        OrderedNode second = new OrderedNode(shared, timeline, Ordering.HOLD, first.effects);
        timeline.advance(Duration.ofMinutes(3));

        assertThat(second.effects).containsExactly("m1", "m2");
    }

    // ---- pauses

    @Test
    void goesOnSoonAfterItsTypeIsResumed() {
        OrderedNode node =
                new OrderedNode(OrderedStores.memory(new ArrayList<>()), timeline, Ordering.HOLD).failing("m1", 1);
        Stream.of("m1", "m2").forEach(node::deliver);
        node.pause();
        timeline.advance(OrderedNode.RETRY.plusSeconds(3));
        assertThat(node.effects).isEmpty();
        node.resume();

        timeline.advance(Duration.ofSeconds(3));

        assertThat(node.effects).containsExactly("m1", "m2");
    }

    // ---- held lanes

    @ParameterizedTest
    @MethodSource("stores")
    void goesOnWhenWhatIsHeldIsUndone(Function<List<String>, MessageStore> store) {
        OrderedNode node = new OrderedNode(store.apply(new ArrayList<>()), timeline, Ordering.HOLD).failing("m1", 3);
        Stream.of("m1", "m2").map(LaneCareTest::withoutKey).forEach(node::deliver);
        timeline.advance(OrderedNode.RETRY.multipliedBy(3));

        node.deliver(withoutKey("undo").withHeader("sb-undoes", "m1"));
        timeline.advance(LONG);

        assertThat(node.effects).containsExactly("undo", "m2");
    }

    private static Wires withoutKey(String id) {
        return OrderedNode.message(id).withoutHeader("sb-order-key");
    }

    @ParameterizedTest
    @MethodSource("stores")
    void goesOnWhenPoisonIsSkippedFromNowOn(Function<List<String>, MessageStore> store) {
        MessageStore shared = store.apply(new ArrayList<>());
        OrderedNode first = new OrderedNode(shared, timeline, Ordering.HOLD).failing("m1", 3);
        Stream.of("m1", "m2").forEach(first::deliver);
        timeline.advance(OrderedNode.RETRY.multipliedBy(3));
        assertThat(first.lane().state()).isEqualTo(State.HELD);
        first.stop();

        OrderedNode second = new OrderedNode(shared, timeline, Ordering.SKIP, first.effects);
        timeline.advance(LONG);

        assertThat(second.effects).containsExactly("m2");
        assertThat(second.lane().isFree()).isTrue();
    }

    // ---- a message has one place

    /** Its copy is confirmed, but its lane has not gone on yet. */
    @Test
    void aReplayOfTheHeadIsNotParkedBehindIt() {
        boolean[] isAway = {false};
        MessageStore store = new ForwardingMessageStore(OrderedStores.memory(new ArrayList<>())) {
            @Override
            public JointWrite writeTogether(List<MessageRecord> records) {
                if (isAway[0]) {
                    throw new StoreUnavailableException("away", null, null);
                }
                JointWrite written = super.writeTogether(records);
                isAway[0] = records.get(0).state() == RecordState.POISONED;
                return written;
            }
        };
        OrderedNode node = new OrderedNode(store, timeline, Ordering.SKIP).failing("m1", 3);
        Stream.of("m1", "m2").forEach(node::deliver);
        timeline.advance(OrderedNode.RETRY.multipliedBy(3));
        assertThat(node.transport.poisoned()).hasSize(1);
        isAway[0] = false;

        RecordedDelivery replay = node.replay(node.transport.poisoned().get(0));

        assertThat(replay.acknowledged()).isZero();
        timeline.advance(LONG);
        assertThat(node.effects).containsExactly("m2");
        node.replay(node.transport.poisoned().get(0));
        assertThat(node.effects).containsExactly("m2", "m1");
        timeline.advance(LONG);
        assertThat(node.transport.poisoned()).hasSizeLessThan(3);
    }
}
