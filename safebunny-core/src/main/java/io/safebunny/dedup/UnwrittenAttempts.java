// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.store.UnreadableRecordException;

/** Counts attempts whose end could not be recorded because the database did not answer. Thread-safe. */
final class UnwrittenAttempts {

    private final MessageStore store;
    private final Claiming claiming;
    private final Attempts attempts;

    UnwrittenAttempts(MessageStore store, Claiming claiming, DedupLog log) {
        this.store = store;
        this.claiming = claiming;
        this.attempts = new Attempts(log);
    }

    /**
     * Called before a transactional claim, for a delivery whose header says more than the record: the end of the previous attempt
     * could not be written. The coming one is counted now, before it runs, because its end may not be written either; otherwise a
     * handler that takes the database down would be retried for ever.
     */
    void count(Handling handling) {
        Envelope message = handling.message();
        RecordKey key = handling.records().key();
        MessageRecord stored;
        MessageRecord steps;
        try {
            stored = store.find(key);
            steps = stored == null ? ApartSteps.find(store::find, key) : null;
        } catch (UnreadableRecordException e) {
            return; // the claim reports it
        }
        int known = stored == null ? 0 : stored.attempt();
        if (message.attempt() <= known) {
            return;
        }
        if (stored == null && (steps == null || ApartSteps.isOf(message, steps))) {
            MessageRecord counted = claiming.fresh(handling).next(RecordState.RELEASED);
            MessageRecord unused = store.create(counted.withVersion(1));
        } else if (stored != null
                && stored.state() == RecordState.RELEASED
                && stored.fingerprint().isOf(message)) {
            MessageRecord unused =
                    store.replace(stored.next(RecordState.RELEASED).withAttempt(known + 1));
        } else {
            return;
        }
        attempts.resume(handling, known + 1);
    }
}
