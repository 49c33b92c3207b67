// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.ScheduledMessage.Status;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.scheduling.ScheduledDocuments.Attempt;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators see of the scheduled messages of a node, and do to them. A change is a conditional write of the document: of a change and
 * what publishes the message exactly one comes first, and the other one is told. Thread-safe; every method blocks.
 */
public final class ScheduledOperations {

    private static final Logger LOG = LoggerFactory.getLogger(ScheduledOperations.class);

    /** How many messages one page looks at, and with how many bytes of bodies, which come with them. */
    private static final int MOST_SCANNED = 1_000;

    private static final long MOST_BYTES = 8L << 20;
    private static final int PORTION = 50;
    private static final int LEAST = 10;
    private static final int LONGEST_REASON = 400;

    /** How far from now a message may be due. */
    public static final Duration LONGEST_WAIT = Duration.ofDays(365);

    private final String node;
    private final MessageStore store;
    private final ScheduledDocuments documents;
    private final Timeline timeline;

    ScheduledOperations(Node node, ScheduledDocuments documents) {
        this.node = node.name();
        this.store = node.requireStore();
        this.documents = documents;
        this.timeline = node.timeline();
    }

    /**
     * A scheduled message without its body.
     *
     * @param deliverAt when it is due; {@code null} if it was cancelled before that was known
     * @param endedAt when it was published or cancelled; {@code null} if it waits, or this was not recorded
     * @param scheduledAt when {@code schedule} was called; {@code null}, like all that follows, unless it waits in the store
     * @param causationId the message whose handling scheduled it; {@code null} also if none did
     */
    public record Entry(
            String messageId,
            Status status,
            @Nullable Instant deliverAt,
            @Nullable Instant endedAt,
            @Nullable Instant scheduledAt,
            @Nullable String type,
            @Nullable String correlationId,
            @Nullable String causationId) {}

    /**
     * Which messages.
     *
     * @param type {@code null} for all
     * @param correlationId that of the message itself; {@code null} for all
     * @param after {@link Page#next} of the page before; {@code null} for the first one
     * @param limit maximum on the page
     */
    public record Query(
            @Nullable String type,
            @Nullable String correlationId,
            @Nullable String after,
            int limit) {}

    /**
     * Messages that wait, those due first.
     *
     * @param scanned how many were read for it
     * @param next where the next page begins; {@code null} if there are no more
     * @param crowded when more are due at the same moment than are listed; {@code null} for never
     */
    public record Page(
            List<Entry> messages,
            int scanned,
            @Nullable String next,
            @Nullable Instant crowded) {}

    /** Position in the list: by time, those of one millisecond by id. An overdue message is where it is looked after next. */
    private record Position(Instant at, String id) implements Comparable<Position> {

        private static final Pattern FORM = Pattern.compile("(\\d{1,15}):(.+)");

        static Position of(MessageRecord stored) {
            Listing listing = Objects.requireNonNull(stored.listing(), "what was listed");
            return new Position(listing.createdAt(), stored.key().correlationId());
        }

        static Position parse(String text) {
            Matcher parts = FORM.matcher(text);
            if (!parts.matches()) {
                throw new MisuseException(
                        MisuseException.ARGUMENT,
                        "Invalid query of scheduled messages [after=%s]: it must be the value of next from the previous page."
                                .formatted(Names.printable(text)));
            }
            return new Position(Instant.ofEpochMilli(Long.parseLong(parts.group(1))), parts.group(2));
        }

        @Override
        public int compareTo(Position other) {
            int byTime = at.compareTo(other.at);
            return byTime == 0 ? id.compareTo(other.id) : byTime;
        }

        @Override
        public String toString() {
            return at.toEpochMilli() + ":" + id;
        }
    }

    /**
     * Messages that wait, as of now, page by page. Reads a bounded part of them, so a page may have few or none and nevertheless a next one.
     * One that is moved meanwhile may be missed. Of more than a thousand, or more than some megabytes, that are due in one millisecond the
     * others are left out; the page says so. Of one that a newer version of SafeBunny wrote, only id and time are known.
     *
     * @throws io.safebunny.store.StoreUnavailableException if the store does not answer
     */
    public Page page(Query query) {
        Position last = query.after() == null ? null : Position.parse(query.after());
        ListedRecords<Position> all = new ListedRecords<>(
                ScheduledDocument.KIND,
                ScheduledDocument.Status.WAITING.name(),
                Position::of,
                last,
                last == null ? null : last.at,
                portion(query),
                MOST_SCANNED,
                MOST_BYTES,
                store);
        List<Entry> page = new ArrayList<>();
        int scanned = 0;
        long bytes = 0;
        for (MessageRecord next = all.peek(); next != null; next = all.peek()) {
            if (page.size() == query.limit() || scanned == MOST_SCANNED || bytes > MOST_BYTES) {
                return new Page(page, scanned, String.valueOf(last), all.crowded());
            }
            all.remove();
            last = Position.of(next);
            scanned++;
            ScheduledDocument document = readable(next);
            bytes += document == null || document.publication() == null
                    ? 0
                    : document.publication().message().body().length;
            Entry entry = document == null ? unreadable(last) : entry(last.id, document);
            if (isWanted(entry, query)) {
                page.add(entry);
            }
        }
        return new Page(page, scanned, null, all.crowded());
    }

    /** Few are enough for a short page, but with a filter, many may be read for it. */
    private static int portion(Query query) {
        boolean isFiltered = query.type() != null || query.correlationId() != null;
        return isFiltered ? PORTION : Math.max(LEAST, Math.min(query.limit() + 1, PORTION));
    }

    /** One that a newer version wrote: all that is known of it. */
    private static Entry unreadable(Position position) {
        return new Entry(position.id, Status.WAITING, position.at, null, null, null, null, null);
    }

    private static boolean isWanted(Entry entry, Query query) {
        return (query.type() == null || query.type().equals(entry.type()))
                && (query.correlationId() == null || query.correlationId().equals(entry.correlationId()));
    }

    /** {@code null} if a newer version of SafeBunny wrote it. */
    private static @Nullable ScheduledDocument readable(MessageRecord stored) {
        try {
            return ScheduledDocument.read(stored);
        } catch (UnreadableRecordException e) {
            return null;
        }
    }

    private static Entry entry(String id, ScheduledDocument document) {
        WireMessage message =
                document.publication() == null ? null : document.publication().message();
        Object causation = message == null ? null : message.headers().get(Headers.CAUSATION_ID);
        return new Entry(
                id,
                document.shownStatus(),
                document.deliverAt(),
                document.endedAt(),
                document.scheduledAt(),
                message == null ? null : message.type(),
                message == null ? null : message.correlationId(),
                causation == null ? null : causation.toString());
    }

    /**
     * What is stored of one, also after its publication or cancellation, until the retention is over.
     *
     * @throws MisuseException SB-5013 if nothing is stored of it
     * @throws io.safebunny.store.StoreUnavailableException if the store does not answer
     */
    public Entry get(String messageId) {
        ScheduledDocument found = documents.find(known(messageId));
        if (found == null) {
            throw unknown(messageId);
        }
        return entry(messageId, found);
    }

    /**
     * Cancels a message that waits: it is never published, nor is another one with its id, as long as the retention lasts.
     *
     * @param seen when it was due as the operator has seen it; {@code null} for whenever
     * @throws MisuseException SB-5028 if it was published, cancelled or, since it was seen, moved before; SB-5013 if nothing is stored of it
     * @throws io.safebunny.store.StoreUnavailableException if the store did not answer; look at it to know
     */
    public Entry cancel(String messageId, @Nullable Instant seen, String by, String reason) {
        Entry done = done(messageId, documents.cancelWaiting(known(messageId), seen), "cancel");
        log("cancelled", messageId, by, reason);
        return done;
    }

    /**
     * Moves a message that waits to another time, at most 365 days from now; one that has come means at once.
     *
     * @param seen as in {@link #cancel}
     * @throws MisuseException as {@link #cancel}
     * @throws io.safebunny.failure.InvalidPublicationException if it is too far away
     * @throws io.safebunny.store.StoreUnavailableException if the store did not answer; look at it to know
     */
    public Entry move(String messageId, @Nullable Instant seen, Instant deliverAt, String by, String reason) {
        Instant due = StoredScheduledMessages.timeToMoveTo(deliverAt, timeline.now());
        Entry done = done(messageId, documents.moveWaiting(known(messageId), seen, due), "move");
        log("moved to " + due, messageId, by, reason);
        return done;
    }

    private String known(String messageId) {
        if (Names.isCorrelationId(messageId)) {
            return messageId;
        }
        throw unknown(messageId);
    }

    private Entry done(String messageId, Attempt attempt, String action) {
        ScheduledDocument written = attempt.written();
        if (written != null) {
            return entry(messageId, written);
        }
        ScheduledDocument before = attempt.before();
        if (before == null) {
            throw unknown(messageId);
        }
        if (!before.isEnded()) {
            throw new MisuseException(
                    MisuseException.TOO_LATE,
                    "Scheduled message %s is due at %s, and not when you have seen it: somebody has moved it. Nothing was changed. Look at it again."
                            .formatted(messageId, before.deliverAt()));
        }
        throw new MisuseException(
                MisuseException.TOO_LATE,
                "Too late to %s scheduled message %s: it was %s%s. Nothing was changed. %s"
                        .formatted(
                                action,
                                messageId,
                                before.shownStatus() == Status.PUBLISHED ? "published" : "cancelled",
                                before.endedAt() == null ? "" : " at " + before.endedAt(),
                                before.shownStatus() == Status.PUBLISHED
                                        ? "Look at its story: GET safebunnystory/%s.".formatted(messageId)
                                        : "To have it sent, schedule it again, with another idempotency key if it has one."));
    }

    private MisuseException unknown(String messageId) {
        return new MisuseException(
                MisuseException.SCHEDULING,
                "Node %s stores no scheduled message with this id [id=%s]: it has not reached the store yet, ended longer ago than safebunny.dedup.retention, or was never scheduled here. Use GET safebunny/scheduled for a list, by ?correlation= if you know only that."
                        .formatted(node, Names.printable(messageId)));
    }

    private static void log(String what, String messageId, String by, String reason) {
        LOG.info(
                "Scheduled message {} was {} by {}: {}",
                messageId,
                what,
                Names.printable(by),
                Names.printable(reason, LONGEST_REASON));
    }
}
