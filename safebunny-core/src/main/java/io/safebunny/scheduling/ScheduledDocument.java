// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.ScheduledMessage;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A scheduled message in its stored form. Its partition is its own id. Immutable; times are in whole milliseconds.
 *
 * @param deliverAt {@code null} if the message was cancelled before its time was known
 * @param alarm {@code null} unless the message waits
 * @param publication {@code null} unless the message waits
 * @param scheduledAt when {@code schedule} was called; {@code null} unless the message waits, or if a version stored it that did not record that
 * @param endedAt when it was published or cancelled; {@code null} while it waits, or if a version wrote it that did not record that
 */
record ScheduledDocument(
        Status status,
        @Nullable Instant deliverAt,
        @Nullable Alarm alarm,
        @Nullable OutboundMessage publication,
        @Nullable Instant scheduledAt,
        @Nullable Instant endedAt) {

    /** Cannot clash with a saga, because names of sagas have no dot. */
    static final String KIND = "bunny.scheduled";

    private static final String FORMAT = "1";

    enum Status {
        /** The message was moved before it arrived in the store. */
        EXPECTED,
        WAITING,
        PUBLISHED,
        CANCELLED
    }

    /**
     * The delayed message that wakes the scheduled one.
     *
     * @param token the alarm's message id
     * @param wakesAt when the alarm arrives; not later than the message is due
     */
    record Alarm(String token, Instant wakesAt) {}

    static RecordKey key(String messageId) {
        return RecordKey.companion(messageId, "scheduled");
    }

    static ScheduledDocument expected(Instant deliverAt) {
        return new ScheduledDocument(Status.EXPECTED, deliverAt, null, null, null, null);
    }

    static ScheduledDocument waiting(
            Instant deliverAt, Alarm alarm, OutboundMessage publication, @Nullable Instant scheduledAt) {
        return new ScheduledDocument(Status.WAITING, deliverAt, alarm, publication, scheduledAt, null);
    }

    static ScheduledDocument ended(Status status, @Nullable Instant deliverAt, @Nullable Instant endedAt) {
        return new ScheduledDocument(status, deliverAt, null, null, null, endedAt);
    }

    /** @throws UnreadableRecordException if a newer version of SafeBunny wrote it */
    static ScheduledDocument read(MessageRecord stored) {
        Map<String, String> content = stored.steps();
        if (!FORMAT.equals(content.get("format"))) {
            throw new UnreadableRecordException(
                    stored.key(), "scheduled message of format " + content.get("format"), null);
        }
        try {
            Status status = Status.valueOf(unquoted(content.getOrDefault("status", "")));
            boolean waits = status == Status.WAITING;
            return new ScheduledDocument(
                    status,
                    instantOrNull(content.get("deliverAt")),
                    waits
                            ? new Alarm(
                                    unquoted(content.getOrDefault("token", "")),
                                    instant(content.getOrDefault("wakesAt", "")))
                            : null,
                    waits
                            ? RecordJson.readOutgoing(content.getOrDefault("publication", ""))
                                    .get(0)
                            : null,
                    instantOrNull(content.get("scheduledAt")),
                    instantOrNull(content.get("endedAt")));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new UnreadableRecordException(stored.key(), "scheduled message", e);
        }
    }

    private static @Nullable Instant instantOrNull(@Nullable String millis) {
        return millis == null ? null : instant(millis);
    }

    private static Instant instant(String millis) {
        return Instant.ofEpochMilli(Long.parseLong(millis));
    }

    private static String quoted(String plain) {
        return '"' + plain + '"';
    }

    private static String unquoted(String json) {
        return json.length() < 2 ? "" : json.substring(1, json.length() - 1);
    }

    /**
     * Returns the record to write next.
     *
     * @param stored the record that it follows; {@code null} for the first
     * @param owner unique, so that this write can be recognised
     */
    MessageRecord write(@Nullable MessageRecord stored, String messageId, String owner) {
        return write(stored, messageId, owner, deliverAt);
    }

    /**
     * The next write.
     *
     * @param overdueFrom time from which the sweeper finds the message, if it waits
     */
    MessageRecord write(@Nullable MessageRecord stored, String messageId, String owner, @Nullable Instant overdueFrom) {
        Listing listing = status == Status.WAITING && overdueFrom != null
                ? new Listing(KIND, status.name(), overdueFrom, null)
                : null;
        // dispatched records expire, released ones do not
        RecordState state = listing == null ? RecordState.DISPATCHED : RecordState.RELEASED;
        return stored == null
                ? new MessageRecord(
                        key(messageId),
                        state,
                        owner,
                        1,
                        0,
                        0,
                        Duration.ZERO,
                        new Fingerprint(Fingerprint.SHA256, 0, 0),
                        content(),
                        List.of(),
                        listing,
                        null)
                : stored.nextContent(state, owner, listing, content());
    }

    boolean isEnded() {
        return status == Status.PUBLISHED || status == Status.CANCELLED;
    }

    private Map<String, String> content() {
        Map<String, String> content = new LinkedHashMap<>();
        content.put("format", FORMAT);
        content.put("status", quoted(status.name()));
        put(content, "deliverAt", deliverAt);
        put(content, "scheduledAt", scheduledAt);
        put(content, "endedAt", endedAt);
        if (alarm != null) {
            content.put("token", quoted(alarm.token));
            content.put("wakesAt", Long.toString(alarm.wakesAt.toEpochMilli()));
        }
        if (publication != null) {
            content.put("publication", RecordJson.writeOutgoing(List.of(publication)));
        }
        return content;
    }

    private static void put(Map<String, String> content, String name, @Nullable Instant at) {
        if (at != null) {
            content.put(name, Long.toString(at.toEpochMilli()));
        }
    }

    ScheduledMessage view(String messageId) {
        return new ScheduledMessage(messageId, shownStatus(), deliverAt);
    }

    ScheduledMessage.Status shownStatus() {
        return switch (status) {
            case EXPECTED, WAITING -> ScheduledMessage.Status.WAITING;
            case PUBLISHED -> ScheduledMessage.Status.PUBLISHED;
            case CANCELLED -> ScheduledMessage.Status.CANCELLED;
        };
    }
}
