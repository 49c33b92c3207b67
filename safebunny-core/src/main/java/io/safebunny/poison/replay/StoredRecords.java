// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.dedup.LeaseWatch;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.time.Timeline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is stored, for one look at many copies. Once the store has not answered it is not asked again for ten seconds, and each copy until
 * then fails in the same way: it would wait for as long as the store's time limit is. Confined to one thread.
 */
final class StoredRecords {

    private static final long SPARED = Duration.ofSeconds(10).toNanos();

    private final MessageStore store;
    private final Timeline timeline;
    private final LeaseWatch watch;
    private @Nullable RuntimeException failure;
    private long failedAt;

    /** @param watch knows the looks before this one */
    StoredRecords(MessageStore store, Timeline timeline, LeaseWatch watch) {
        this.store = store;
        this.timeline = timeline;
        this.watch = watch;
    }

    /** Whether it is a claim that has not changed for a lease, as far as this process has seen. */
    boolean isSilent(@Nullable MessageRecord record) {
        return record != null
                && record.state() == RecordState.CLAIMED
                && watch.remaining(record).toNanos() <= 0;
    }

    /** @throws RuntimeException it cannot be told */
    @Nullable
    MessageRecord find(RecordKey key) {
        if (failure != null && timeline.nanoTime() - failedAt < SPARED) {
            throw failure;
        }
        failure = null;
        try {
            return store.find(key);
        } catch (UnreadableRecordException e) { // says nothing about the others
            throw e;
        } catch (RuntimeException e) {
            failure = e;
            failedAt = timeline.nanoTime(); // after it was waited for
            throw e;
        }
    }
}
