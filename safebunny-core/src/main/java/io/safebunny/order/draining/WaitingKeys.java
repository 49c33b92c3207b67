// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.scheduling.ListedRecords;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lists the order keys of a node whose messages wait for one of them. Reads only. Thread-safe. */
public final class WaitingKeys {

    /** How many keys one page looks at. */
    private static final int MOST_SCANNED = 1_000;

    private static final long MOST_BYTES = 8L << 20;
    private static final int PORTION = 100;
    private static final int LEAST = 10;

    private final MessageStore store;

    WaitingKeys(MessageStore store) {
        this.store = store;
    }

    /**
     * Messages of one order key and type.
     *
     * @param head id of the message that all others wait for; {@code null} while they are handled one after the other
     * @param since when the head was set aside; of others, when messages began to wait
     * @param dueAt when they go on, at the latest; {@code null} if they do not by themselves
     * @param waiting how many wait behind the head; if there is none, with the one that is handled now
     * @param atLimit whether no more may wait
     */
    public record Entry(
            String key,
            String type,
            Lane.State state,
            @Nullable String head,
            @Nullable Instant since,
            @Nullable Instant dueAt,
            int waiting,
            boolean atLimit) {}

    /**
     * Which keys.
     *
     * @param type {@code null} for all
     * @param held those whose head was set aside, or the others
     * @param after {@link Page#next} of the page before; {@code null} for the first one
     * @param limit maximum on the page
     */
    public record Query(
            @Nullable String type, boolean held, @Nullable String after, int limit) {}

    /**
     * Keys that wait: those held longest first, or, of the others, those that go on first.
     *
     * @param scanned how many were read for it
     * @param next where the next page begins; {@code null} if there are no more
     * @param crowded a moment at which more are listed than can be read; {@code null} for none
     */
    public record Page(
            List<Entry> keys,
            int scanned,
            @Nullable String next,
            @Nullable Instant crowded) {}

    /** Position in the list: by time, those of one millisecond by type and key. */
    private record Position(Instant at, String type, String key) implements Comparable<Position> {

        private static final Pattern FORM = Pattern.compile("(\\d{1,15}):([^:]+):(.+)");

        private static final Comparator<Position> ORDER =
                Comparator.comparing(Position::at).thenComparing(Position::type).thenComparing(Position::key);

        static Position of(MessageRecord stored) {
            Listing listing = Objects.requireNonNull(stored.listing(), "what was listed");
            RecordKey key = stored.key();
            return new Position(listing.createdAt(), LaneDocument.typeOf(key), key.correlationId());
        }

        static Position parse(String text) {
            Matcher parts = FORM.matcher(text);
            if (!parts.matches()) {
                throw new MisuseException(
                        MisuseException.ARGUMENT,
                        "Invalid query of order keys [after=%s]: it must be the value of next from the previous page."
                                .formatted(Names.printable(text)));
            }
            return new Position(Instant.ofEpochMilli(Long.parseLong(parts.group(1))), parts.group(2), parts.group(3));
        }

        @Override
        public int compareTo(Position other) {
            return ORDER.compare(this, other);
        }

        @Override
        public String toString() {
            return at.toEpochMilli() + ":" + type + ":" + key;
        }
    }

    /**
     * Keys that wait, as of now, page by page. Reads a bounded part of them, so a page may have few or none and nevertheless a next one. One
     * that moves meanwhile may be missed, and one that a newer version of SafeBunny wrote is left out.
     *
     * @throws MisuseException SB-5001 if {@code after} does not come from a page
     * @throws io.safebunny.store.StoreUnavailableException if the store does not answer
     */
    public Page page(Query query) {
        Position last = query.after() == null ? null : Position.parse(query.after());
        ListedRecords<Position> all = new ListedRecords<>(
                LaneDocument.KIND,
                query.held() ? LaneDocument.HELD : LaneDocument.DUE,
                Position::of,
                last,
                last == null ? null : last.at,
                query.type() == null ? Math.max(LEAST, Math.min(query.limit() + 1, PORTION)) : PORTION,
                MOST_SCANNED,
                MOST_BYTES,
                store);
        List<Entry> page = new ArrayList<>();
        int scanned = 0;
        for (MessageRecord next = all.peek(); next != null; next = all.peek()) {
            if (page.size() == query.limit() || scanned == MOST_SCANNED) {
                return new Page(page, scanned, String.valueOf(last), all.crowded());
            }
            all.remove();
            last = Position.of(next);
            scanned++;
            Entry entry = query.type() == null || query.type().equals(last.type) ? entry(next, last) : null;
            if (entry != null) {
                page.add(entry);
            }
        }
        return new Page(page, scanned, null, all.crowded());
    }

    private static @Nullable Entry entry(MessageRecord stored, Position position) {
        Lane lane;
        try {
            lane = LaneDocument.read(stored);
        } catch (UnreadableRecordException e) {
            return null;
        }
        return new Entry(
                position.key,
                position.type,
                lane.state(),
                lane.head(),
                lane.since(),
                lane.due(),
                lane.parked(),
                lane.isFull());
    }
}
