// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.dedup.claim.LeaseWatch;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of many copies for one pass over the queue. If the store does not answer, it is not asked again for ten seconds, and
 * copies until then fail in the same way; otherwise each of them would wait for the store's timeout. Confined to one thread.
 */
final class StoredRecords {

    private static final long SPARED = Duration.ofSeconds(10).toNanos();

    private final MessageStore store;
    private final Timeline timeline;
    private final LeaseWatch watch;
    private @Nullable RuntimeException failure;
    private long failedAt;

    /** @param watch shared by all operations */
    StoredRecords(MessageStore store, Timeline timeline, LeaseWatch watch) {
        this.store = store;
        this.timeline = timeline;
        this.watch = watch;
    }

    /** Whether the record is a claim that this process has not seen change for a lease. */
    boolean isSilent(@Nullable MessageRecord record) {
        return record != null
                && record.state() == RecordState.CLAIMED
                && watch.remaining(record).toNanos() <= 0;
    }

    /**
     * The same, but {@code null} if a newer version of SafeBunny wrote it.
     *
     * @throws RuntimeException if the store did not answer
     */
    @Nullable
    MessageRecord findIfReadable(RecordKey key) {
        try {
            return find(key);
        } catch (UnreadableRecordException e) {
            return null;
        }
    }

    /** @throws RuntimeException if the store did not answer, or a newer version of SafeBunny wrote the record */
    @Nullable
    MessageRecord find(RecordKey key) {
        if (failure != null && timeline.nanoTime() - failedAt < SPARED) {
            throw failure;
        }
        failure = null;
        try {
            return store.find(key);
        } catch (UnreadableRecordException e) { // not an outage: says nothing about other records
            throw e;
        } catch (RuntimeException e) {
            failure = e;
            failedAt = timeline.nanoTime();
            throw e;
        }
    }
}
