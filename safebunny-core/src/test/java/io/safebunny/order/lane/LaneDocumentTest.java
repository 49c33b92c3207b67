// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.JointWrite;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LaneDocumentTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_900_000_000);
    private static final RecordKey KEY = LaneDocument.key("order-7", "OrderChanged");

    @Test
    void readsWhatItWrites() {
        Lane waiting = LaneRules.waits(Lane.UNUSED, "a", NOW, NOW.plusSeconds(5));
        Lane parked = LaneRules.parks(waiting);
        Lane drained = LaneRules.ends(parked, "a", NOW.plusSeconds(30));
        Lane held = LaneRules.holds(drained, "b", NOW);
        Lane free = LaneRules.ends(held, "b", NOW);
        MessageRecord stored = LaneDocument.write(KEY, null, waiting, "owner");
        for (Lane lane : List.of(waiting, parked, drained, held, free, waiting)) {
            stored = LaneDocument.write(KEY, stored, lane, "owner");

            assertThat(LaneDocument.read(stored)).isEqualTo(lane);
        }
        assertThat(stored.version()).isEqualTo(7);
        assertThat(LaneDocument.read(null)).isEqualTo(Lane.UNUSED);
        assertThat(LaneDocument.typeOf(KEY)).isEqualTo("OrderChanged");
    }

    @Test
    void isListedWhileSomethingWaitsAndExpiresWhenNothingDoes() {
        Lane waiting = LaneRules.waits(Lane.UNUSED, "a", NOW, NOW.plusSeconds(5));
        MessageRecord due = LaneDocument.write(KEY, null, waiting, "owner");
        MessageRecord held = LaneDocument.write(KEY, due, LaneRules.holds(waiting, "a", NOW), "owner");
        MessageRecord free = LaneDocument.write(KEY, held, LaneRules.ends(waiting, "a", NOW), "owner");

        assertThat(due.listing()).isEqualTo(new Listing(LaneDocument.KIND, LaneDocument.DUE, NOW.plusSeconds(5), null));
        assertThat(held.listing()).isEqualTo(new Listing(LaneDocument.KIND, LaneDocument.HELD, NOW, null));
        assertThat(free.listing()).isNull();
        assertThat(Stream.of(due, held, free).map(record -> record.state().isFinal()))
                .containsExactly(false, false, true);
    }

    /** Two writers that lock the same records in different orders deadlock. */
    @Test
    void isLockedAfterMessagesAndBeforeItsSlotsAndSagas() {
        MessageRecord lane = LaneDocument.write(KEY, null, LaneRules.waits(Lane.UNUSED, "z", NOW, NOW), "owner");
        MessageRecord nine = LaneSlot.filled(LaneSlot.key(KEY, 9), null, "z", "owner");
        MessageRecord ten = LaneSlot.filled(LaneSlot.key(KEY, 10), null, "z", "owner");
        MessageRecord saga = named(SagaDocument.key("A", "order-7"));
        MessageRecord message = named(new RecordKey("order-7", "z"));

        assertThat(Stream.of(saga, ten, nine, lane, message).sorted(JointWrite.LOCK_ORDER))
                .containsExactly(message, lane, nine, ten, saga);
    }

    @Test
    void keepsTheMessageOfASlot() {
        RecordKey key = LaneSlot.key(KEY, 1_234_567_890);
        MessageRecord filled = LaneSlot.filled(key, null, "order-7.1:x_y-z", "owner");
        MessageRecord left = LaneSlot.left(filled, "owner");
        MessageRecord again = LaneSlot.filled(key, left, "b", "another");

        assertThat(LaneSlot.message(filled)).isEqualTo("order-7.1:x_y-z");
        assertThat(LaneSlot.message(again)).isEqualTo("b");
        assertThat(Stream.of(filled, left, again).map(MessageRecord::state))
                .containsExactly(RecordState.RELEASED, RecordState.DISPATCHED, RecordState.RELEASED);
        assertThat(again.version()).isEqualTo(3);
        assertThat(key.isShared()).isTrue();
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        MessageRecord lane = LaneDocument.write(KEY, null, LaneRules.waits(Lane.UNUSED, "a", NOW, NOW), "owner");

        for (Map<String, String> content : List.<Map<String, String>>of(
                Map.of(),
                Map.of("format", "2"),
                Map.of("format", "1", "state", "\"GONE\"", "first", "0", "next", "0"),
                Map.of("format", "1", "state", "\"FREE\"", "first", "0", "next", "1"),
                Map.of("format", "1", "state", "\"FREE\"", "first", "0"))) {
            assertThatThrownBy(() -> LaneDocument.read(lane.withSteps(content)))
                    .as("%s", content)
                    .isInstanceOf(UnreadableRecordException.class);
        }
        assertThatThrownBy(() -> LaneSlot.message(lane)).isInstanceOf(UnreadableRecordException.class);
    }

    private static MessageRecord named(RecordKey key) {
        return LaneSlot.filled(key, null, "m", "owner");
    }
}
