// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.supervision;

import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sagas of one name and listing after a position, in order, read in portions. Stores order by time alone, so the last millisecond of a
 * full portion counts as unread; if the whole portion is of one millisecond, it is read again, twice as large. Confined to one thread.
 */
final class ListedSagas {

    private final String saga;
    private final String listed;
    private final MessageStore store;
    private final Deque<MessageRecord> portion = new ArrayDeque<>();
    private @Nullable SagaPosition last;
    private int size;
    private boolean exhausted;

    /**
     * @param listed their listing status
     * @param after {@code null} to begin with the oldest
     * @param size of a portion
     */
    ListedSagas(String saga, String listed, @Nullable SagaPosition after, int size, MessageStore store) {
        this.saga = saga;
        this.listed = listed;
        this.last = after;
        this.size = size;
        this.store = store;
    }

    /** The next one; {@code null} when there are no more. */
    @Nullable
    MessageRecord peek() {
        while (portion.isEmpty() && !exhausted) {
            read();
        }
        return portion.peek();
    }

    void remove() {
        last = SagaPosition.of(portion.remove());
    }

    private void read() {
        Instant from = last == null ? null : last.startedAt();
        List<MessageRecord> found = store.findListed(new ListingQuery(saga, listed, from, null, size));
        boolean full = found.size() >= size;
        Instant unread = full ? SagaPosition.of(found.get(found.size() - 1)).startedAt() : Instant.MAX;
        found.stream()
                .filter(record -> SagaPosition.of(record).startedAt().isBefore(unread))
                .filter(record -> last == null || SagaPosition.of(record).compareTo(last) > 0)
                .sorted(Comparator.comparing(SagaPosition::of))
                .forEach(portion::add);
        // a portion that is not full may only lack what cannot be read, so the end is where nothing is found
        if (portion.isEmpty()) {
            exhausted = !full;
            size = 2 * size;
        }
    }
}
