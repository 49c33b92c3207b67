// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Companions listed under one kind and status, after a position, in order, read in portions. Stores order by time alone, so the records of a
 * full portion's last millisecond are read again with the next portion. If all records of a portion are of the same millisecond, a portion of
 * twice the size is read, up to a limit: of a millisecond with more records, the others are left out. Confined to one thread.
 *
 * @param <P> a position in the list: by the time of the listing first
 */
public final class ListedRecords<P extends Comparable<P>> {

    private final String kind;
    private final String status;
    private final Function<MessageRecord, P> position;
    private final MessageStore store;
    private final Deque<MessageRecord> portion = new ArrayDeque<>();
    private @Nullable P last;
    private @Nullable Instant from;
    private final int most;
    private final long mostBytes;
    private int size;
    private @Nullable Instant before;
    private boolean exhausted;
    private @Nullable Instant crowded;

    /**
     * @param position that of a record
     * @param after {@code null} to begin with the oldest
     * @param from the time of {@code after}
     * @param size of a portion
     * @param most records of a portion that has only those of one millisecond
     * @param mostBytes about as much as such a portion holds
     */
    public ListedRecords(
            String kind,
            String status,
            Function<MessageRecord, P> position,
            @Nullable P after,
            @Nullable Instant from,
            int size,
            int most,
            long mostBytes,
            MessageStore store) {
        this.kind = kind;
        this.status = status;
        this.position = position;
        this.last = after;
        this.from = from;
        this.size = size;
        this.most = most;
        this.mostBytes = mostBytes;
        this.store = store;
    }

    /**
     * Leaves out what was listed at this moment or later; to be called before anything is read.
     *
     * @param moment {@code null} to leave out nothing
     * @return this
     */
    public ListedRecords<P> before(@Nullable Instant moment) {
        before = moment;
        return this;
    }

    private static Instant timeOf(MessageRecord record) {
        Listing listing = Objects.requireNonNull(record.listing(), "what was listed");
        return listing.createdAt();
    }

    /** The next record; {@code null} if there are no more. */
    public @Nullable MessageRecord peek() {
        while (portion.isEmpty() && !exhausted) {
            read();
        }
        return portion.peek();
    }

    public void remove() {
        MessageRecord next = portion.remove();
        last = position.apply(next);
        if (from == null || from.isBefore(timeOf(next))) {
            from = timeOf(next);
        }
    }

    private void read() {
        List<MessageRecord> found = store.findListed(new ListingQuery(kind, status, from, before, size));
        boolean full = found.size() >= size;
        Instant unread = full ? timeOf(found.get(found.size() - 1)) : Instant.MAX;
        addAfterLast(found.stream().filter(record -> timeOf(record).isBefore(unread)));
        // a portion may be incomplete only because some records
        // cannot be read, so the end is reached when nothing is found
        if (portion.isEmpty() && full && timeOf(found.get(0)).isBefore(unread)) {
            from = unread; // what is before was given already
        } else if (portion.isEmpty() && full && isTooMuch(found)) {
            crowded = unread;
            addAfterLast(found.stream());
            from = unread.plusMillis(1);
        } else if (portion.isEmpty()) {
            exhausted = !full;
            size = size > most / 2 ? most : 2 * size;
        }
    }

    private boolean isTooMuch(List<MessageRecord> found) {
        return size == most || found.stream().mapToLong(ListedRecords::bytes).sum() > mostBytes / 2;
    }

    /** What is stored is of ASCII characters mostly. */
    private static long bytes(MessageRecord record) {
        return record.steps().values().stream().mapToLong(String::length).sum();
    }

    private void addAfterLast(Stream<MessageRecord> found) {
        found.filter(record -> last == null || position.apply(record).compareTo(last) > 0)
                .sorted(Comparator.comparing(position))
                .forEach(portion::add);
    }

    /** A millisecond of which not all records were read; {@code null} for none. */
    public @Nullable Instant crowded() {
        return crowded;
    }
}
