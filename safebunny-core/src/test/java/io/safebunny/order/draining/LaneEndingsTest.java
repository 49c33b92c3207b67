// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.Ordering;
import io.safebunny.order.lane.Lane.State;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages with one order key that are set aside, or cannot be kept: none is lost, none is in the way for ever. */
class LaneEndingsTest {

    private final VirtualTimeline timeline = new VirtualTimeline();

    static Stream<Named<Function<List<String>, MessageStore>>> stores() {
        return OrderedStores.all();
    }

    private OrderedNode node(Function<List<String>, MessageStore> store) {
        return new OrderedNode(store.apply(new ArrayList<>()), timeline, Ordering.HOLD);
    }

    // ---- before it is claimed

    /** Nothing is written of it by then, so that only its place in the queue says that it comes first. */
    @ParameterizedTest
    @MethodSource("stores")
    void keepsItsPlaceIfItFailsBeforeItIsClaimed(Function<List<String>, MessageStore> store) {
        OrderedNode node = node(store);
        RecordedDelivery refused = new RecordedDelivery(
                        OrderedNode.QUEUE, OrderedNode.message("m1").wire())
                .refused(new IllegalStateException("an advice"));

        node.transport.deliver(refused);

        assertThat(refused.acknowledged()).isZero();
        assertThat(refused.kept()).isEqualTo(OrderedNode.RETRY);
        assertThat(node.transport.confirmed())
                .as("copies, behind which others would run")
                .isEmpty();
    }

    @Test
    void keepsItsPlaceWhileItsTypeIsPaused() {
        OrderedNode node = node(OrderedStores::memory);
        node.pause();

        RecordedDelivery delivery = node.deliver("m1");

        assertThat(delivery.acknowledged()).isZero();
        assertThat(delivery.kept()).isPositive();
        assertThat(node.transport.confirmed()).isEmpty();
    }

    // ---- what cannot be kept

    /** The next attempt would be from the store. */
    @ParameterizedTest
    @MethodSource("stores")
    void isSetAsideIfItFailsAndIsTooLargeToBeKept(Function<List<String>, MessageStore> store) {
        OrderedNode node =
                new OrderedNode(tooSmall(store.apply(new ArrayList<>())), timeline, Ordering.HOLD).failing("m1", 1);

        RecordedDelivery delivery = node.deliver("m1");

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.poisoned()).singleElement().satisfies(copy -> {
            assertThat(copy.message().headers()).containsEntry("sb-poison-reason", "too-large");
        });
        assertThat(node.state("m1")).isEqualTo(RecordState.POISONED);
        assertThat(node.lane().state()).isEqualTo(State.HELD);
        node.replay(node.transport.poisoned().get(0));
        assertThat(node.effects).containsExactly("m1");
        assertThat(node.lane().isFree()).isTrue();
    }

    /** It does not hold those behind it: nothing can be kept of it. */
    @ParameterizedTest
    @MethodSource("stores")
    void isSetAsideIfItIsTooLargeToBeParked(Function<List<String>, MessageStore> store) {
        MessageStore real = store.apply(new ArrayList<>());
        boolean[] isFull = {false};
        OrderedNode node = new OrderedNode(tooSmall(real, isFull), timeline, Ordering.HOLD).failing("m1", 1);
        node.deliver("m1");
        isFull[0] = true;
        RecordedDelivery large = node.deliver("m2");
        isFull[0] = false;
        node.deliver("m3");

        timeline.advance(OrderedNode.RETRY);

        assertThat(large.acknowledged()).isEqualTo(1);
        assertThat(node.transport.poisoned()).singleElement().satisfies(copy -> {
            assertThat(copy.message().messageId()).isEqualTo("m2");
            assertThat(copy.message().headers()).containsEntry("sb-poison-reason", "too-large");
        });
        assertThat(node.effects).containsExactly("m1", "m3");
    }

    private static MessageStore tooSmall(MessageStore store) {
        return tooSmall(store, new boolean[] {true});
    }

    private static void refuse(List<MessageRecord> records) {
        if (records.stream().anyMatch(record -> record.state() == RecordState.PARKED)) {
            throw new RecordTooLargeException(records.get(0).key(), 3_000_000, 2_000_000);
        }
    }

    private static MessageStore tooSmall(MessageStore store, boolean[] isFull) {
        return store instanceof OrderedStores.Transactions
                ? new OrderedStores.Transactions() {
                    @Override
                    public JointWrite writeTogether(List<MessageRecord> records) {
                        if (isFull[0]) {
                            refuse(records);
                        }
                        return super.writeTogether(records);
                    }
                }
                : new ForwardingMessageStore(store) {
                    @Override
                    public JointWrite writeTogether(List<MessageRecord> records) {
                        if (isFull[0]) {
                            refuse(records);
                        }
                        return super.writeTogether(records);
                    }
                };
    }

    // ---- its poison copy

    /** The broker has forgotten the message, so that nobody else would send it. */
    @ParameterizedTest
    @EnumSource(names = {"HOLD", "SKIP"})
    void sendsThePoisonCopyOfWhatIsStoredAlthoughItsProcessDiedBefore(Ordering ordering) {
        MessageStore store = OrderedStores.memory(new ArrayList<>());
        List<OrderedNode> dying = new ArrayList<>();
        OrderedNode first = new OrderedNode(
                        new ForwardingMessageStore(store) {
                            @Override
                            public JointWrite writeTogether(List<MessageRecord> records) {
                                JointWrite written = super.writeTogether(records);
                                if (records.get(0).state() == RecordState.POISONED) {
                                    dying.forEach(OrderedNode::die);
                                }
                                return written;
                            }
                        },
                        timeline,
                        ordering)
                .failing("m1", 3);
        dying.add(first);
        Stream.of("m1", "m2").forEach(first::deliver);
        timeline.advance(OrderedNode.RETRY.multipliedBy(4));
        assertThat(first.state("m1")).isEqualTo(RecordState.POISONED);
        assertThat(first.transport.poisoned()).isEmpty();

        OrderedNode second = new OrderedNode(store, timeline, ordering, first.effects);
        timeline.advance(Duration.ofMinutes(2));

        assertThat(second.transport.poisoned())
                .singleElement()
                .satisfies(copy -> assertThat(copy.message().messageId()).isEqualTo("m1"));
        if (ordering == Ordering.SKIP) {
            assertThat(second.effects).containsExactly("m2");
        } else {
            assertThat(second.effects).isEmpty();
            second.replay(second.transport.poisoned().get(0));
            timeline.advance(Duration.ZERO);
            assertThat(second.effects).containsExactly("m1", "m2");
        }
        assertThat(second.lane().isFree()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void sendsOneCopyOfAReplayThatFailsAgain(Function<List<String>, MessageStore> store) {
        OrderedNode node = node(store).failing("m1", 6);
        Stream.of("m1", "m2").forEach(node::deliver);
        timeline.advance(OrderedNode.RETRY.multipliedBy(4));
        assertThat(node.transport.poisoned()).hasSize(1);

        node.replay(node.transport.poisoned().get(0));
        timeline.advance(OrderedNode.RETRY.multipliedBy(4));
        timeline.advance(Duration.ofHours(1));

        assertThat(node.transport.poisoned()).hasSize(2);
        assertThat(node.effects).isEmpty();
        assertThat(node.lane().state()).isEqualTo(State.HELD);
        node.replay(node.transport.poisoned().get(1));
        timeline.advance(Duration.ZERO);
        assertThat(node.effects).containsExactly("m1", "m2");
    }

    // ---- nobody decides

    @Test
    void goesOnWhenTheRecordOfWhatIsHeldHasExpired() {
        MessageStore memory = OrderedStores.memory(new ArrayList<>());
        boolean[] isExpired = {false};
        OrderedNode node = new OrderedNode(
                        new ForwardingMessageStore(memory) {
                            @Override
                            public @Nullable MessageRecord find(RecordKey key) {
                                return isExpired[0] && key.messageId().equals("m1") ? null : super.find(key);
                            }
                        },
                        timeline,
                        Ordering.HOLD)
                .failing("m1", 3);
        Stream.of("m1", "m2").forEach(node::deliver);
        timeline.advance(Duration.ofDays(1));
        assertThat(node.effects).isEmpty();

        isExpired[0] = true;
        timeline.advance(Duration.ofHours(1));

        assertThat(node.effects).containsExactly("m2");
        assertThat(node.lane().isFree()).isTrue();
    }

    // ---- what undoes it

    @ParameterizedTest
    @MethodSource("stores")
    void isNotHandledAfterItsUndoWhichDoesNotWait(Function<List<String>, MessageStore> store) {
        MessageStore shared = store.apply(new ArrayList<>());
        OrderedNode node = new OrderedNode(shared, timeline, Ordering.HOLD).failing("m1", 1);
        Stream.of("m1", "m2").map(LaneEndingsTest::withoutKey).forEach(node::deliver);

        RecordedDelivery undo = node.deliver(withoutKey("undo").withHeader("sb-undoes", "m1"));

        assertThat(undo.acknowledged()).isEqualTo(1);
        assertThat(node.effects).containsExactly("undo");
        MessageRecord step = Objects.requireNonNull(shared.find(new RecordKey(Wires.CORRELATION_ID, "m1")));
        assertThat(step.state()).isEqualTo(RecordState.UNDONE);
        assertThat(step.outgoing()).as("its bytes").isEmpty();
        timeline.advance(OrderedNode.RETRY);
        assertThat(node.effects).containsExactly("undo", "m2");
    }

    private static Wires withoutKey(String id) {
        return OrderedNode.message(id).withoutHeader("sb-order-key");
    }

    // ---- others who are faster

    /** Its transaction is rolled back, and until its failure is written another delivery may park it. */
    @Test
    void leavesAloneWhatAnotherDeliveryHasParkedMeanwhile() {
        List<Runnable> before = new ArrayList<>();
        MessageStore store = new OrderedStores.Transactions() {
            @Override
            public JointWrite writeTogether(List<MessageRecord> records) {
                if (!before.isEmpty()) {
                    before.remove(0).run();
                }
                return super.writeTogether(records);
            }
        };
        OrderedNode node = new OrderedNode(store, timeline, Ordering.HOLD);
        OrderedNode other = new OrderedNode(store, timeline, Ordering.HOLD, node.effects);
        int[] runs = {0};
        node.handler = (payload, context) -> {
            if (runs[0]++ == 0) {
                before.add(() -> {
                    other.failing("m0", 1).deliver("m0");
                    other.deliver("m1");
                });
                throw new PoisonMessageException("no stock");
            }
        };

        RecordedDelivery delivery = node.deliver("m1");

        assertThat(delivery.acknowledged()).isZero();
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(Objects.requireNonNull(node.stored("m1")).state()).isEqualTo(RecordState.PARKED);
        timeline.advance(OrderedNode.RETRY);
        assertThat(node.effects).containsExactly("m0", "m1");
    }
}
