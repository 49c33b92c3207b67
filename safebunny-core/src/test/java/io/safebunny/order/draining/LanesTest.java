// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.handler.Ordering;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.Lane.State;
import io.safebunny.order.lane.LaneSlot;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages with one order key take effect in order and once, whatever fails. */
class LanesTest {

    private final VirtualTimeline timeline = new VirtualTimeline();
    /** Writes after which something was stored that is in no lane. */
    private final List<String> broken = new ArrayList<>();

    @AfterEach
    void nothingWasStoredThatNobodyWouldFind() {
        assertThat(broken).isEmpty();
    }

    static Stream<Named<Function<List<String>, MessageStore>>> stores() {
        return OrderedStores.all();
    }

    private OrderedNode node(Function<List<String>, MessageStore> store, Ordering ordering) {
        return new OrderedNode(store.apply(broken), timeline, ordering);
    }

    // ---- a head that fails

    @ParameterizedTest
    @MethodSource("stores")
    void whatFollowsAFailedMessageWaitsForItInTheStore(Function<List<String>, MessageStore> store) {
        OrderedNode node = node(store, Ordering.HOLD).failing("m1", 2);

        List<RecordedDelivery> deliveries =
                Stream.of("m1", "m2", "m3").map(node::deliver).toList();

        assertThat(node.effects).isEmpty();
        assertThat(deliveries)
                .allSatisfy(delivery -> assertThat(delivery.acknowledged()).isEqualTo(1));
        assertThat(node.transport.confirmed()).as("copies").isEmpty();
        assertThat(node.state("m1")).isEqualTo(RecordState.PARKED);
        assertThat(node.lane().parked()).isEqualTo(2);
        timeline.advance(OrderedNode.RETRY);
        assertThat(node.effects).isEmpty();
        timeline.advance(OrderedNode.RETRY.multipliedBy(2));

        assertThat(node.effects).containsExactly("m1", "m2", "m3");
        assertThat(node.lane()).isEqualTo(new Lane(State.FREE, null, 2, 2, null, null));
        assertThat(node.transport.confirmed()).isEmpty();
        RecordedDelivery next = node.deliver("m4");
        assertThat(next.acknowledged()).isEqualTo(1);
        assertThat(node.effects).endsWith("m4");
    }

    @ParameterizedTest
    @MethodSource("stores")
    void oneThatFailsFromTheStoreHoldsThoseBehindIt(Function<List<String>, MessageStore> store) {
        OrderedNode node = node(store, Ordering.HOLD).failing("m1", 1);
        Stream.of("m1", "m2", "m3").forEach(node::deliver);
        int[] failures = {0};
        node.handler = (payload, context) -> {
            if (context.messageId().equals("m2") && failures[0]++ < 1) {
                throw new IllegalStateException("no stock");
            }
        };

        timeline.advance(OrderedNode.RETRY);
        assertThat(node.effects).containsExactly("m1");
        assertThat(node.lane().head()).isEqualTo("m2");
        timeline.advance(OrderedNode.RETRY);

        assertThat(node.effects).containsExactly("m1", "m2", "m3");
        assertThat(node.lane().isFree()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void whatComesAgainWhileItIsStoredIsADuplicate(Function<List<String>, MessageStore> store) {
        OrderedNode node = node(store, Ordering.HOLD).failing("m1", 1);
        Stream.of("m1", "m2").forEach(node::deliver);

        List<RecordedDelivery> again = Stream.of("m1", "m2").map(node::deliver).toList();

        assertThat(again)
                .allSatisfy(delivery -> assertThat(delivery.acknowledged()).isEqualTo(1));
        assertThat(node.effects).isEmpty();
        assertThat(node.lane().parked()).isEqualTo(1);
        timeline.advance(OrderedNode.RETRY);
        assertThat(node.effects).containsExactly("m1", "m2");
        node.deliver("m2");
        assertThat(node.effects).containsExactly("m1", "m2");
    }

    @ParameterizedTest
    @MethodSource("stores")
    void otherKeysDoNotWait(Function<List<String>, MessageStore> store) {
        OrderedNode node = node(store, Ordering.HOLD).failing("m1", 1);
        node.deliver("m1");

        node.deliver(OrderedNode.message("other").withHeader("sb-order-key", "order-8"));
        node.deliver(OrderedNode.message("without").withoutHeader("sb-order-key"));

        assertThat(node.effects).containsExactly("other", "without");
    }

    /** Nobody knows for which ones it would have to wait. */
    @ParameterizedTest
    @MethodSource("stores")
    void oneWhoseKeyCannotBeReadIsSetAsideAndHoldsNobody(Function<List<String>, MessageStore> store) {
        List<Object> keys = List.of("", " ", "a b", "ü", "a\nb", "\0", "k".repeat(129), 42L, true, List.of("k"));
        OrderedNode node = node(store, Ordering.HOLD);
        for (int i = 0; i < keys.size(); i++) {
            RecordedDelivery delivery =
                    node.deliver(OrderedNode.message("bad-" + i).withHeader("sb-order-key", keys.get(i)));
            assertThat(delivery.acknowledged()).as("key %s", i).isEqualTo(1);
        }

        node.deliver("m1");

        assertThat(node.effects).containsExactly("m1");
        assertThat(node.transport.poisoned()).hasSameSizeAs(keys).allSatisfy(copy -> assertThat(
                        copy.message().headers())
                .containsEntry("sb-poison-reason", "missing-property"));
        assertThat(node.lane().parked()).isZero();
    }

    // ---- a head that is set aside

    @ParameterizedTest
    @MethodSource("stores")
    void whatFollowsOneThatWasSetAsideWaitsForItsReplay(Function<List<String>, MessageStore> store) {
        OrderedNode node = node(store, Ordering.HOLD).failing("m1", 3);
        Stream.of("m1", "m2").forEach(node::deliver);
        timeline.advance(OrderedNode.RETRY);
        timeline.advance(OrderedNode.RETRY.multipliedBy(2));

        assertThat(node.state("m1")).isEqualTo(RecordState.POISONED);
        assertThat(node.stored("m1").outgoing())
                .as("its bytes, because nobody delivers it again if its copy is lost")
                .hasSize(1);
        assertThat(node.lane().state()).isEqualTo(State.HELD);
        assertThat(node.transport.poisoned()).hasSize(1);
        node.deliver("m3");
        timeline.advance(Duration.ofDays(1));
        assertThat(node.effects).isEmpty();

        node.replay(node.transport.poisoned().get(0));
        timeline.advance(Duration.ZERO);

        assertThat(node.effects).containsExactly("m1", "m2", "m3");
        assertThat(node.lane().isFree()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void whatFollowsOneThatWasSetAsideGoesOnIfItIsSkipped(Function<List<String>, MessageStore> store) {
        OrderedNode node = node(store, Ordering.SKIP).failing("m1", 3);
        Stream.of("m1", "m2").forEach(node::deliver);
        timeline.advance(OrderedNode.RETRY);
        timeline.advance(OrderedNode.RETRY.multipliedBy(2));

        assertThat(node.state("m1")).isEqualTo(RecordState.POISONED);
        assertThat(node.transport.poisoned()).hasSize(1);
        assertThat(node.effects).containsExactly("m2");
        assertThat(node.lane().isFree()).isTrue();
    }

    // ---- instances that die

    @ParameterizedTest
    @MethodSource("stores")
    void anotherInstanceGoesOn(Function<List<String>, MessageStore> store) {
        MessageStore shared = store.apply(broken);
        OrderedNode first = new OrderedNode(shared, timeline, Ordering.HOLD).failing("m1", 1);
        OrderedNode second = new OrderedNode(shared, timeline, Ordering.HOLD, first.effects);
        Stream.of("m1", "m2").forEach(first::deliver);
        first.stop();

        second.deliver("m3");
        assertThat(second.effects).isEmpty();
        timeline.advance(Duration.ofMinutes(1));

        assertThat(second.effects).containsExactly("m1", "m2", "m3");
        assertThat(second.lane().isFree()).isTrue();
    }

    /** Nothing more is written of what it was doing. */
    @Test
    void waitsForTheLeaseOfOneThatDiedWhileItHandled() {
        MessageStore shared = OrderedStores.memory(broken);
        boolean[] isDead = {false};
        OrderedNode first = new OrderedNode(silent(shared, isDead), timeline, Ordering.HOLD).failing("m1", 1);
        Stream.of("m1", "m2").forEach(first::deliver);
        OrderedNode second = new OrderedNode(shared, timeline, Ordering.HOLD, first.effects);
        first.handler = (payload, context) -> {
            isDead[0] = true;
            first.die();
            throw new IllegalStateException("nobody hears this");
        };

        timeline.advance(OrderedNode.RETRY);
        assertThat(isDead[0]).isTrue();
        assertThat(second.state("m1")).isEqualTo(RecordState.CLAIMED);
        timeline.advance(Duration.ofMinutes(5));

        assertThat(second.effects).containsExactly("m1", "m2");
        assertThat(second.lane().isFree()).isTrue();
    }

    /** It dies with the head from its queue, before anything says that the head has failed: the broker has both, in order. */
    @Test
    void goesOnWithWhatTheBrokerBringsAgain() {
        MessageStore shared = OrderedStores.memory(broken);
        boolean[] isDead = {false};
        OrderedNode first = new OrderedNode(silent(shared, isDead), timeline, Ordering.HOLD);
        first.handler = (payload, context) -> {
            isDead[0] = true;
            throw new IllegalStateException("nobody hears this");
        };
        first.deliver("m1");
        OrderedNode second = new OrderedNode(shared, timeline, Ordering.HOLD, first.effects);

        RecordedDelivery busy = second.deliver("m1");
        assertThat(busy.acknowledged()).isZero();
        assertThat(second.transport.confirmed()).isEmpty();
        timeline.advance(Duration.ofMinutes(1));
        second.deliver("m1");
        second.deliver("m2");

        assertThat(second.effects).containsExactly("m1", "m2");
    }

    @ParameterizedTest
    @MethodSource("stores")
    void keepsItsPlaceWhenTheStoreDoesNotSayHowItEnded(Function<List<String>, MessageStore> store) {
        boolean[] isAway = {false};
        OrderedNode node = new OrderedNode(silent(store.apply(broken), isAway), timeline, Ordering.HOLD);
        node.handler = (payload, context) -> {
            isAway[0] = true;
            throw new IllegalStateException("no stock");
        };

        RecordedDelivery delivery = node.deliver("m1");

        assertThat(delivery.acknowledged()).isZero();
        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.confirmed())
                .as("copies, behind which others would run")
                .isEmpty();
    }

    // ---- others who are faster

    @Test
    void isHandledIfTheLaneIsFreedWhileItIsParked() {
        MessageStore memory = OrderedStores.memory(broken);
        List<Runnable> before = new ArrayList<>();
        OrderedNode node = new OrderedNode(
                        new ForwardingMessageStore(memory) {
                            @Override
                            public JointWrite writeTogether(List<MessageRecord> records) {
                                boolean parks = records.get(0).key().messageId().equals("m2")
                                        && records.get(0).state() == RecordState.PARKED;
                                if (parks && !before.isEmpty()) {
                                    before.remove(0).run();
                                }
                                return super.writeTogether(records);
                            }
                        },
                        timeline,
                        Ordering.HOLD)
                .failing("m1", 1);
        node.deliver("m1");
        before.add(() -> timeline.advance(OrderedNode.RETRY));

        RecordedDelivery second = node.deliver("m2");

        assertThat(node.effects).containsExactly("m1", "m2");
        assertThat(second.acknowledged()).isEqualTo(1);
        assertThat(node.lane().isFree()).isTrue();
    }

    @Test
    void handlesWhatIsParkedWhileTheHeadEnds() {
        MessageStore memory = OrderedStores.memory(broken);
        OrderedNode node = new OrderedNode(memory, timeline, Ordering.HOLD).failing("m1", 1);
        node.deliver("m1");
        node.handler = (payload, context) -> {
            if (context.messageId().equals("m1")) {
                node.deliver("m2"); // after the lane was read, and before it is freed
            }
        };

        timeline.advance(OrderedNode.RETRY);

        assertThat(node.effects).containsExactly("m1", "m2");
        assertThat(node.lane().isFree()).isTrue();
        assertThat(Objects.requireNonNull(memory.find(LaneSlot.key(OrderedNode.LANE, 0)))
                        .state())
                .isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void parksWhatFollowsAlthoughItsProcessHasNotHeardThatTheLaneIsBlocked() {
        MessageStore memory = OrderedStores.memory(broken);
        OrderedNode second = new OrderedNode(new OrderedStores.Stale(memory), timeline, Ordering.HOLD);
        second.deliver("m0");
        assertThat(second.lane().isFree()).isTrue(); // which it goes on believing
        OrderedNode first = new OrderedNode(new OrderedStores.Stale(memory), timeline, Ordering.HOLD, second.effects)
                .failing("m1", 1);
        first.deliver("m1");

        RecordedDelivery delivery = second.deliver("m2");

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(second.effects).containsExactly("m0");
        timeline.advance(OrderedNode.RETRY);
        assertThat(second.effects).containsExactly("m0", "m1", "m2");
    }

    /** By hand, say: nobody knows any more what was in it. */
    @Test
    void goesOnBehindWhatIsGoneFromTheStore() {
        MessageStore memory = OrderedStores.memory(new ArrayList<>());
        boolean[] isGone = {false};
        OrderedNode node = new OrderedNode(
                        new ForwardingMessageStore(memory) {
                            @Override
                            public @Nullable MessageRecord find(RecordKey key) {
                                boolean isLost = key.equals(LaneSlot.key(OrderedNode.LANE, 0))
                                        || key.messageId().equals("m3");
                                return isGone[0] && isLost ? null : super.find(key);
                            }
                        },
                        timeline,
                        Ordering.HOLD)
                .failing("m1", 1);
        Stream.of("m1", "m2", "m3", "m4").forEach(node::deliver);
        isGone[0] = true;

        timeline.advance(OrderedNode.RETRY);

        assertThat(node.effects).containsExactly("m1", "m4");
        assertThat(node.lane().isFree()).isTrue();
    }

    // ---- limits

    @ParameterizedTest
    @MethodSource("stores")
    void keepsItsPlaceWhenTheLaneIsFull(Function<List<String>, MessageStore> store) {
        OrderedNode node = node(store, Ordering.HOLD).failing("m", 1);
        node.deliver("m");
        IntStream.range(0, Lane.MOST_PARKED).forEach(i -> node.deliver("p" + i));

        RecordedDelivery more = node.deliver("more");

        assertThat(node.lane().isFull()).isTrue();
        assertThat(more.acknowledged()).isZero();
        timeline.advance(OrderedNode.RETRY);
        node.deliver("more");
        assertThat(node.effects)
                .hasSize(Lane.MOST_PARKED + 2)
                .startsWith("m", "p0", "p1")
                .endsWith("p999", "more");
    }

    @ParameterizedTest
    @MethodSource("stores")
    void handlesWhatHasWaitedLongerThanRecordsAreKept(Function<List<String>, MessageStore> store) {
        MessageStore shared = store.apply(broken);
        OrderedNode first = new OrderedNode(shared, timeline, Ordering.HOLD).failing("m1", 1);
        Stream.of("m1", "m2").forEach(first::deliver);
        first.stop();
        timeline.advance(OrderedNode.RETENTION.multipliedBy(2));

        OrderedNode second = new OrderedNode(shared, timeline, Ordering.HOLD).failing("m1", 1);
        timeline.advance(Duration.ofMinutes(1));

        assertThat(second.effects).containsExactly("m1", "m2");
    }

    private static MessageStore silent(MessageStore store, boolean[] isAway) {
        return store instanceof OrderedStores.Transactions
                ? new OrderedStores.Transactions() {
                    @Override
                    public JointWrite writeTogether(List<MessageRecord> records) {
                        if (isAway[0]) {
                            throw new StoreUnavailableException("away", null, null);
                        }
                        return super.writeTogether(records);
                    }
                }
                : new ForwardingMessageStore(store) {
                    @Override
                    public @Nullable MessageRecord replace(MessageRecord record) {
                        if (isAway[0]) {
                            throw new StoreUnavailableException("away", null, null);
                        }
                        return super.replace(record);
                    }

                    @Override
                    public JointWrite writeTogether(List<MessageRecord> records) {
                        if (isAway[0]) {
                            throw new StoreUnavailableException("away", null, null);
                        }
                        return super.writeTogether(records);
                    }
                };
    }
}
