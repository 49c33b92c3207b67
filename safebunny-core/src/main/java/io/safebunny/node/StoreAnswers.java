// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the store answers, judging by its last call, which is at most a lease ago. Successful reads prove nothing about writes, so
 * it is also an outage if writes of several records time out and no write of the same kind succeeds. Thread-safe.
 */
final class StoreAnswers {

    /**
     * Writes of this many records must fail before it counts as an outage: a single record may just be locked by another delivery of its
     * message.
     */
    private static final int FEWEST_RECORDS = 2;

    private static final int MOST_RECORDS = 100;

    private final Supplier<Instant> clock;
    private volatile @Nullable StoreOutage outage;
    /** Keys of records whose last write timed out. */
    private final Set<RecordKey> unwritten = new HashSet<>();

    private volatile @Nullable StoreOutage ofWrites;

    StoreAnswers(Supplier<Instant> clock) {
        this.clock = clock;
    }

    void failed(StoreUnavailableException failure) {
        outage = told(outage, failure);
    }

    private StoreOutage told(@Nullable StoreOutage before, StoreUnavailableException failure) {
        Instant since = before == null ? clock.get() : before.since();
        return new StoreOutage(since, String.valueOf(failure.getMessage()));
    }

    void answered() {
        if (outage != null) { // checked first, because this runs for each call and the field hardly ever changes
            outage = null;
        }
    }

    /** @param records keys of the records that were not written */
    void notWritten(Collection<RecordKey> records, StoreUnavailableException failure) {
        synchronized (unwritten) {
            if (unwritten.size() < MOST_RECORDS) {
                unwritten.addAll(records);
            }
            ofWrites = told(ofWrites, failure);
        }
    }

    /** Call when writes of these records succeeded: the place where the store keeps records of their kind accepts writes. */
    void written(Collection<RecordKey> records) {
        synchronized (unwritten) {
            unwritten.removeIf(late -> records.stream().anyMatch(record -> isOfOneKind(late, record)));
            if (unwritten.isEmpty()) {
                ofWrites = null;
            }
        }
    }

    /** True after a write has timed out, until the store answers a write of the same kind. */
    boolean isMissingWrites() {
        return ofWrites != null;
    }

    private static boolean isOfOneKind(RecordKey one, RecordKey other) {
        return one.isShared() == other.isShared() && one.isApart() == other.isApart();
    }

    /** Notes that the store has answered writes of every kind. */
    void everythingWritten() {
        if (ofWrites != null) {
            synchronized (unwritten) {
                unwritten.clear();
                ofWrites = null;
            }
        }
    }

    @Nullable
    StoreOutage outage() {
        StoreOutage now = outage;
        if (now != null || ofWrites == null) {
            return now;
        }
        synchronized (unwritten) {
            return unwritten.size() < FEWEST_RECORDS ? null : ofWrites;
        }
    }
}
