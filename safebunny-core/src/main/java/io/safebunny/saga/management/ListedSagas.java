// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

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
 * The sagas of one name and listing status after a position, in order, read in portions. Stores order by time alone, so the sagas of a full
 * portion's last millisecond are read again with the next portion. If all sagas of a portion are of the same millisecond, a portion of
 * twice the size is read. Confined to one thread.
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
     * @param listed listing status of the sagas
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

    /** The next saga; {@code null} if there are no more. */
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
        // a portion may be incomplete only because some records
        // cannot be read, so the end is reached when nothing is found
        if (portion.isEmpty()) {
            exhausted = !full;
            size = 2 * size;
        }
    }
}
