// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static io.safebunny.test.contract.store.StoreBench.claim;
import static io.safebunny.test.contract.store.StoreBench.found;
import static io.safebunny.test.contract.store.StoreBench.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.message.WireMessage;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.Lane.State;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneRules;
import io.safebunny.order.lane.LaneSlot;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of lanes: messages with one order key wait in the store, and nobody loses one of them by what others do at the same time. */
interface LaneWriteRules {

    Instant NOW = Instant.ofEpochSecond(1_900_000_000);

    StoreBench bench();

    @Test
    default void keepsWhatIsParkedWithItsBytes() {
        RecordKey lane = lane();
        MessageRecord head = bench().writtenTogether(List.of(
                        parked(message(lane, "head")),
                        LaneDocument.write(lane, null, LaneRules.holds(Lane.UNUSED, "head", NOW), "first")))
                .get(0);
        bench().assertStored(head);

        List<MessageRecord> parked = parking(bench().store(), lane, "second", "first");
        bench().writtenTogether(parked);

        parked.forEach(record -> bench().assertStored(record));
        assertThat(LaneDocument.read(found(bench().another(), lane)))
                .isEqualTo(new Lane(State.HELD, "head", 0, 1, NOW, null));
        assertThat(LaneSlot.message(found(bench().another(), LaneSlot.key(lane, 0))))
                .isEqualTo("second");
    }

    /** Two consumers: one frees the lane, the other has read it before. */
    @Test
    default void parksNothingInALaneThatWasFreedMeanwhile() {
        RecordKey lane = held();
        List<MessageRecord> late = parking(bench().another(), lane, "second", "another");
        bench().writtenTogether(ending(bench().store(), lane, "first"));

        assertThat(bench().another().writeTogether(late)).isEqualTo(new JointWrite.Overtaken(lane));
        assertThat(LaneDocument.read(found(bench().another(), lane)).isFree()).isTrue();
        bench().assertNothingStored(message(lane, "second"));
        bench().assertNothingStored(LaneSlot.key(lane, 0));
    }

    @Test
    default void freesNoLaneInWhichSomethingWasParkedMeanwhile() {
        RecordKey lane = held();
        List<MessageRecord> late = ending(bench().another(), lane, "another");
        MessageRecord head = found(bench().store(), message(lane, "head"));
        bench().writtenTogether(parking(bench().store(), lane, "second", "first"));

        assertThat(bench().another().writeTogether(late)).isEqualTo(new JointWrite.Overtaken(lane));
        assertThat(LaneDocument.read(found(bench().another(), lane)).parked()).isEqualTo(1);
        bench().assertStored(head);
    }

    /** Each is written with what it has read; whoever was overtaken reads again. */
    @Test
    default void losesNothingThatManyParkWhileTheLaneIsDrained() throws Exception {
        RecordKey lane = held();
        Queue<String> ended = new ConcurrentLinkedQueue<>();
        Queue<String> stored = new ConcurrentLinkedQueue<>(List.of("head"));

        bench().race(racer -> {
            if (racer.owner().equals("owner-0")) {
                drain(racer, lane, ended);
            } else if (park(racer, lane)) {
                stored.add(racer.owner());
            }
            return racer;
        });

        assertThat(ended).containsExactlyInAnyOrderElementsOf(stored).hasSizeGreaterThan(3);
        assertThat(LaneDocument.read(found(bench().another(), lane)))
                .isEqualTo(LaneDocument.read(found(bench().store(), lane)));
        IntStream.range(0, ended.size() - 1)
                .mapToObj(slot -> found(bench().another(), LaneSlot.key(lane, slot)))
                .forEach(slot -> assertThat(slot.state()).isEqualTo(RecordState.DISPATCHED));
    }

    @Test
    default void forgetsALaneOnceNothingWaits() {
        RecordKey waiting = held();
        RecordKey free = held();
        List<MessageRecord> kept = bench().writtenTogether(parking(bench().store(), waiting, "second", "first"));
        bench().writtenTogether(parking(bench().store(), free, "second", "first"));
        bench().writtenTogether(ending(bench().store(), free, "first"));
        List<MessageRecord> gone = bench().writtenTogether(ending(bench().store(), free, "first"));
        bench().outliveTheRetention();

        int removed = bench().store().removeExpired(100);

        assertThat(removed).isIn(0, gone.size() + 1); // and the head
        for (MessageRecord record : gone) {
            bench().await().untilAsserted(() -> assertThat(bench().another().find(record.key()))
                    .isNull());
        }
        kept.forEach(record -> bench().assertStored(record));
    }

    @Test
    default void doesNotTakeWhatIsParkedForUnsent() {
        RecordKey lane = held();
        bench().writtenTogether(parking(bench().store(), lane, "second", "first"));
        MessageRecord completed = bench().created(RecordState.COMPLETED);

        bench().await()
                .untilAsserted(() -> assertThat(StoreBench.keys(bench().store().findCompleted(Duration.ZERO, 100)))
                        .containsExactly(completed.key()));
    }

    /** Who counts what waits, and who looks for it, finds lanes by what they wait for. */
    @Test
    default void listsLanesByWhatTheyWaitForWithWhatIsParkedInThem() {
        RecordKey first = held(NOW);
        RecordKey second = held(NOW.plusMillis(1));
        RecordKey freed = held(NOW);
        bench().writtenTogether(parking(bench().store(), second, "second", "first"));
        bench().writtenTogether(ending(bench().store(), freed, "first"));
        assertListed(LaneDocument.HELD, first, second);
        assertThat(listed(LaneDocument.HELD))
                .extracting(LaneDocument::read)
                .contains(new Lane(State.HELD, "head", 0, 1, NOW.plusMillis(1), null));

        MessageRecord stored = found(bench().store(), second);
        Lane drains = LaneRules.drains(LaneDocument.read(stored), NOW.plusSeconds(30));
        assertThat(bench().store().replace(LaneDocument.write(second, stored, drains, "first")))
                .isNotNull();

        assertListed(LaneDocument.HELD, first);
        assertListed(LaneDocument.DUE, second);
        assertThat(LaneDocument.read(listed(LaneDocument.DUE).get(0)).parked()).isEqualTo(1);
    }

    private void assertListed(String status, RecordKey... lanes) {
        bench().await()
                .untilAsserted(() -> assertThat(StoreBench.keys(listed(status))).containsExactlyInAnyOrder(lanes));
    }

    private List<MessageRecord> listed(String status) {
        return bench().another().findListed(new ListingQuery(LaneDocument.KIND, status, null, null, 100));
    }

    /** Order keys and message ids have up to 128 characters, and names of types 100. */
    @Test
    default void keepsLanesAndSlotsOfTheLongestKeysApart() {
        String orderKey = "k".repeat(90) + key().messageId().replace("-", "") + "k".repeat(6);
        String type = "T$_" + "t".repeat(96);
        assertThat(orderKey).hasSize(128);
        List<MessageRecord> all = new ArrayList<>();
        for (String last : List.of("1", "2")) {
            RecordKey lane = LaneDocument.key(orderKey, type + last);
            Lane waits = LaneRules.waits(Lane.UNUSED, "m".repeat(127) + last, NOW, NOW);
            all.addAll(bench().writtenTogether(List.of(
                    LaneDocument.write(lane, null, waits, "first"),
                    LaneSlot.filled(LaneSlot.key(lane, 999_999_998), null, "a" + last, "first"),
                    LaneSlot.filled(LaneSlot.key(lane, 999_999_999), null, "b" + last, "first"))));
        }

        all.forEach(record -> bench().assertStored(record));
    }

    // ---- what consumers do

    private static RecordKey lane() {
        return LaneDocument.key(key().correlationId(), "OrderChanged");
    }

    /** A lane whose head was set aside. */
    private RecordKey held() {
        return held(NOW);
    }

    private RecordKey held(Instant since) {
        RecordKey lane = lane();
        bench().writtenTogether(List.of(
                claim(message(lane, "head"), "first").next(RecordState.POISONED).withVersion(1),
                LaneDocument.write(lane, null, LaneRules.holds(Lane.UNUSED, "head", since), "first")));
        return lane;
    }

    private static RecordKey message(RecordKey lane, String id) {
        return new RecordKey(lane.correlationId(), id);
    }

    private static MessageRecord parked(RecordKey key) {
        WireMessage message = new WireMessage(
                key.messageId(),
                key.correlationId(),
                "OrderChanged",
                "orders",
                1_900_000_000_000L,
                "application/json",
                null,
                Map.of("sb-order-key", key.correlationId()),
                "{\"orderId\":\"größe 🐇\"}".getBytes(StandardCharsets.UTF_8));
        return claim(key, "first")
                .next(
                        RecordState.PARKED,
                        List.of(new OutboundMessage(message, new Route.ToQueue("billing-OrderChanged"), Duration.ZERO)))
                .withVersion(1);
    }

    /** What is written when a message is parked behind those that wait. */
    private static List<MessageRecord> parking(MessageStore store, RecordKey lane, String id, String owner) {
        return parking(found(store, lane), lane, id, owner);
    }

    private static List<MessageRecord> parking(MessageRecord stored, RecordKey lane, String id, String owner) {
        Lane before = LaneDocument.read(stored);
        return List.of(
                parked(message(lane, id)),
                LaneDocument.write(lane, stored, LaneRules.parks(before), owner),
                LaneSlot.filled(LaneSlot.key(lane, before.next()), null, id, owner));
    }

    /** What is written when the message whose turn it is has ended. */
    private static List<MessageRecord> ending(MessageStore store, RecordKey lane, String owner) {
        MessageRecord stored = found(store, lane);
        Lane before = LaneDocument.read(stored);
        List<MessageRecord> together = new ArrayList<>();
        String id = before.head();
        if (id == null) {
            MessageRecord slot = found(store, LaneSlot.key(lane, before.first()));
            id = LaneSlot.message(slot);
            together.add(LaneSlot.left(slot, owner));
        }
        together.add(0, LaneDocument.write(lane, stored, LaneRules.ends(before, id, NOW), owner));
        together.add(0, found(store, message(lane, id)).dispatched());
        return together;
    }

    private static boolean park(StoreBench.Racer racer, RecordKey lane) {
        while (!isOver()) {
            MessageRecord stored = found(racer.store(), lane);
            if (LaneDocument.read(stored).isFree()) {
                return false;
            }
            if (racer.store().writeTogether(parking(stored, lane, racer.owner(), racer.owner()))
                    instanceof JointWrite.Written) {
                return true;
            }
        }
        return false;
    }

    /** Begins once a few are parked, so that there is something to lose. */
    private static void drain(StoreBench.Racer racer, RecordKey lane, Queue<String> ended) {
        while (LaneDocument.read(found(racer.store(), lane)).parked() < 3 && !isOver()) {
            Thread.onSpinWait();
        }
        while (!LaneDocument.read(found(racer.store(), lane)).isFree() && !isOver()) {
            List<MessageRecord> ending = ending(racer.store(), lane, racer.owner());
            if (racer.store().writeTogether(ending) instanceof JointWrite.Written) {
                ended.add(Objects.requireNonNull(ending.get(0).key().messageId()));
            }
        }
    }

    private static boolean isOver() {
        return Thread.currentThread().isInterrupted();
    }
}
