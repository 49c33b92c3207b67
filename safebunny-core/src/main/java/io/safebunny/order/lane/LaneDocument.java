// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.lane;

import io.safebunny.order.lane.Lane.State;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A lane in its stored form: a companion in the partition of its order key, locked after the records of messages and before its slots and
 * sagas. One that is free expires. Times are in whole milliseconds.
 */
public final class LaneDocument {

    /** Of all lanes; cannot clash with a saga, because names of sagas have no dot. */
    public static final String KIND = "bunny.lane";

    /** Status of lanes that are to be looked at when they are due, by which they are listed. */
    public static final String DUE = "DUE";

    /** Status of lanes whose head was set aside, listed by the time since when they wait. */
    public static final String HELD = State.HELD.name();

    private static final String NAME = "lane.";
    private static final String FORMAT = "1";

    private LaneDocument() {}

    public static RecordKey key(String orderKey, String type) {
        return RecordKey.companion(orderKey, NAME + type);
    }

    /**
     * The type of the lane's messages.
     *
     * @param lane from {@link #key}
     */
    public static String typeOf(RecordKey lane) {
        return lane.messageId().substring(1 + NAME.length());
    }

    /**
     * @param stored {@code null} for a lane of which nothing is stored
     * @throws UnreadableRecordException a newer version of SafeBunny wrote it
     */
    public static Lane read(@Nullable MessageRecord stored) {
        if (stored == null) {
            return Lane.UNUSED;
        }
        Map<String, String> content = stored.steps();
        if (!FORMAT.equals(content.get("format"))) {
            throw new UnreadableRecordException(stored.key(), "lane of format " + content.get("format"), null);
        }
        try {
            return new Lane(
                    State.valueOf(Objects.requireNonNullElse(unquoted(content.get("state")), "")),
                    unquoted(content.get("head")),
                    number(content, "first"),
                    number(content, "next"),
                    instant(content.get("since")),
                    instant(content.get("due")));
        } catch (IllegalArgumentException e) {
            throw new UnreadableRecordException(stored.key(), "lane", e);
        }
    }

    /**
     * The record to write next.
     *
     * @param stored the record that it follows; {@code null} for the first
     * @param owner unique, so that this write can be recognised
     */
    public static MessageRecord write(RecordKey key, @Nullable MessageRecord stored, Lane lane, String owner) {
        RecordState state = lane.isFree() ? RecordState.DISPATCHED : RecordState.RELEASED;
        Map<String, String> content = content(lane);
        return stored != null
                ? stored.nextContent(state, owner, listing(lane), content)
                : new MessageRecord(
                        key,
                        state,
                        owner,
                        1,
                        0,
                        0,
                        Duration.ZERO,
                        new Fingerprint(Fingerprint.SHA256, 0, 0),
                        content,
                        List.of(),
                        listing(lane),
                        null);
    }

    /** The sweep finds due lanes by the time of their listing, as it does scheduled messages: {@code dueAt} is for sagas. */
    private static @Nullable Listing listing(Lane lane) {
        if (lane.since() == null) {
            return null;
        }
        return lane.due() == null
                ? new Listing(KIND, HELD, lane.since(), null)
                : new Listing(KIND, DUE, lane.due(), null);
    }

    private static Map<String, String> content(Lane lane) {
        Map<String, String> content = new LinkedHashMap<>();
        content.put("format", FORMAT);
        content.put("state", quoted(lane.state().name()));
        if (lane.head() != null) {
            content.put("head", quoted(lane.head()));
        }
        content.put("first", String.valueOf(lane.first()));
        content.put("next", String.valueOf(lane.next()));
        put(content, "since", lane.since());
        put(content, "due", lane.due());
        return content;
    }

    private static void put(Map<String, String> content, String name, @Nullable Instant instant) {
        if (instant != null) {
            content.put(name, String.valueOf(instant.toEpochMilli()));
        }
    }

    private static long number(Map<String, String> content, String name) {
        return Long.parseLong(content.getOrDefault(name, ""));
    }

    private static @Nullable Instant instant(@Nullable String millis) {
        return millis == null ? null : Instant.ofEpochMilli(Long.parseLong(millis));
    }

    private static String quoted(String plain) {
        return '"' + plain + '"';
    }

    private static @Nullable String unquoted(@Nullable String json) {
        return json == null || json.length() < 2 ? null : json.substring(1, json.length() - 1);
    }
}
