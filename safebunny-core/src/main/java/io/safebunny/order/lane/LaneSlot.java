// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.lane;

import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A place in a lane, and the message that is parked there. Immutable. */
public final class LaneSlot {

    private static final String MESSAGE = "message";

    private LaneSlot() {}

    /** Keys of slots sort by their number, and behind that of their lane. */
    public static RecordKey key(RecordKey lane, long number) {
        return new RecordKey(lane.correlationId(), lane.messageId() + String.format(Locale.ROOT, ":%09d", number));
    }

    /**
     * The slot as it is stored when a message is parked in it.
     *
     * @param stored what is left of an earlier lane; {@code null} if the slot is new, as nearly always
     * @param owner unique, so that this write can be recognised
     */
    public static MessageRecord filled(RecordKey key, @Nullable MessageRecord stored, String message, String owner) {
        Map<String, String> content = Map.of(MESSAGE, '"' + message + '"');
        return stored != null
                ? stored.nextContent(RecordState.RELEASED, owner, null, content)
                : MessageRecord.companion(key, owner, null, content);
    }

    /** The slot as it is stored when its message has left it. It expires. */
    public static MessageRecord left(MessageRecord stored, String owner) {
        return stored.nextContent(RecordState.DISPATCHED, owner, null, stored.steps());
    }

    /**
     * The id of the message that is parked in it.
     *
     * @throws UnreadableRecordException a newer version of SafeBunny wrote it
     */
    public static String message(MessageRecord stored) {
        String id = stored.steps().get(MESSAGE);
        if (id == null || id.length() < 3) {
            throw new UnreadableRecordException(stored.key(), "slot of a lane", null);
        }
        return id.substring(1, id.length() - 1);
    }
}
