// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.search;

import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.Lane.State;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneSlot;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.story.NodeStory.Line;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where messages are among those of their order key, as far as some wait for others. A key that has been busy has more records than are found
 * at once: so its first message, and the one that was asked for, are looked up. Confined to one thread.
 */
final class Lines {

    /** Places that are read one by one, if they are not among what was found. */
    private static final int MOST_READ = 100;

    private final MessageStore store;
    private final Map<RecordKey, MessageRecord> found = new HashMap<>();
    private final Map<RecordKey, Line> lines = new HashMap<>();
    private final Set<RecordKey> heads = new LinkedHashSet<>();
    /** One for each type that waits. */
    private final Map<RecordKey, Lane> lanes = new HashMap<>();

    private int left = MOST_READ;

    Lines(MessageStore store, List<DatedRecord> records) {
        this.store = store;
        for (DatedRecord dated : records) {
            found.put(dated.record().key(), dated.record());
        }
        for (DatedRecord dated : records) {
            MessageRecord record = dated.record();
            if (record.listing() != null && record.listing().kind().equals(LaneDocument.KIND)) {
                addIfReadable(record);
            }
        }
    }

    static boolean isAny(List<DatedRecord> records) {
        return records.stream()
                .map(dated -> dated.record().listing())
                .anyMatch(listing -> listing != null && listing.kind().equals(LaneDocument.KIND));
    }

    private void addIfReadable(MessageRecord record) {
        try {
            add(record.key(), LaneDocument.read(record));
        } catch (UnreadableRecordException e) {
            // of a newer version, whose instances tell it
        }
    }

    private void add(RecordKey key, Lane lane) {
        lanes.put(key, lane);
        if (lane.head() != null) {
            RecordKey head = new RecordKey(key.correlationId(), lane.head());
            heads.add(head);
            lines.put(head, line(lane, 0));
        }
        for (long number = lane.first(); number < lane.next(); number++) {
            MessageRecord slot = slot(LaneSlot.key(key, number));
            if (slot != null) {
                RecordKey parked = new RecordKey(key.correlationId(), LaneSlot.message(slot));
                lines.put(parked, line(lane, (int) (number - lane.first()) + 1));
            }
        }
    }

    private @Nullable MessageRecord slot(RecordKey key) {
        MessageRecord slot = found.get(key);
        if (slot == null && left > 0) {
            left--;
            slot = store.find(key);
        }
        return slot;
    }

    private static Line line(Lane lane, int place) {
        boolean isHeld = lane.state() == State.HELD;
        return new Line(
                place,
                lane.parked(),
                lane.head(),
                isHeld,
                lane.since() == null ? Instant.EPOCH : lane.since(),
                lane.due());
    }

    /**
     * Those on which others wait, and the one with this id, as far as they are not among what was found.
     *
     * @param id that was asked for, whatever it is
     */
    List<MessageRecord> missing(String id) {
        Set<RecordKey> wanted = new LinkedHashSet<>(heads);
        lanes.keySet().forEach(lane -> wanted.add(new RecordKey(lane.correlationId(), id)));
        List<MessageRecord> missing = new ArrayList<>();
        for (RecordKey key : wanted) {
            MessageRecord record = found.containsKey(key) ? null : store.find(key);
            if (record != null) {
                missing.add(record);
            }
        }
        return missing;
    }

    /** @param type of the message */
    @Nullable
    Line of(MessageRecord record, String type) {
        Line line = lines.get(record.key());
        if (line != null) {
            return line;
        }
        Lane lane = lanes.get(LaneDocument.key(record.key().correlationId(), type));
        boolean isParked = record.state() == RecordState.PARKED;
        return lane != null && isParked ? line(lane, -1) : null;
    }
}
