// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.store.RecordKey;
import io.safebunny.store.StoreUnavailableException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store answers, as its last call says; there is one at least every lease. Reads say nothing about writes: those of
 * several records that time out, while none of their kind is written, are an outage too. Thread-safe.
 */
final class StoreAnswers {

    /** One alone waits for another delivery of the same message. */
    private static final int FEWEST_RECORDS = 2;

    private static final int MOST_RECORDS = 100;

    private final Supplier<Instant> clock;
    private volatile @Nullable StoreOutage outage;
    /** Whose last write timed out. */
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
        if (outage != null) { // a read of a field that hardly ever changes, for each call of the store
            outage = null;
        }
    }

    /** @param records of which none was written */
    void notWritten(Collection<RecordKey> records, StoreUnavailableException failure) {
        synchronized (unwritten) {
            if (unwritten.size() < MOST_RECORDS) {
                unwritten.addAll(records);
            }
            ofWrites = told(ofWrites, failure);
        }
    }

    /** The records, and with them the place where the store keeps others of their kind, take writes. */
    void written(Collection<RecordKey> records) {
        synchronized (unwritten) {
            unwritten.removeIf(late -> records.stream().anyMatch(record -> isOfOneKind(late, record)));
            if (unwritten.isEmpty()) {
                ofWrites = null;
            }
        }
    }

    /** Whether a write timed out, and none of its kind was answered since. */
    boolean isMissingWrites() {
        return ofWrites != null;
    }

    private static boolean isOfOneKind(RecordKey one, RecordKey other) {
        return one.isShared() == other.isShared() && one.isApart() == other.isApart();
    }

    /** All kinds take writes. */
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
