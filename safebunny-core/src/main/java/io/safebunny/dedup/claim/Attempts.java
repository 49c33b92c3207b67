// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.store.MessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides which attempt of its message a delivery is. The record is authoritative; a header can be forged. Thread-safe. */
public final class Attempts {

    private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);

    private final DedupLog log;

    public Attempts(DedupLog log) {
        this.log = log;
    }

    /**
     * Takes the larger of the two counts, because each of two copies of a message knows only its own retries. But the header may
     * be at most one ahead: at most the end of one attempt can be missing in the record, and a header that says more may be
     * forged.
     *
     * @param known the record's attempt, 0 without a record
     */
    static int believed(Envelope message, int known) {
        return Math.max(known, Math.min(message.attempt(), known + 1));
    }

    /** Continues the handling as this attempt, whatever the header says. */
    void resume(Handling handling, int attempt) {
        int said = handling.message().attempt();
        if (said > attempt) {
            String id = handling.message().id();
            log.tell(
                    Subject.info(LOG, "Headers claim more retries than the records know of"),
                    id,
                    () -> LOG.info(
                            "Message {} claims to be retry {}, of which its record does not know: handling it as retry {}",
                            id,
                            said,
                            attempt));
        }
        handling.setAttempt(attempt);
    }

    /**
     * Called before a transactional claim, for a delivery whose header says more than the record: the end of the previous attempt
     * could not be written. The coming one is counted now, before it runs, because its end may not be written either; otherwise a
     * handler that takes the database down would be retried for ever.
     */
    public void countUnwritten(Handling handling, MessageStore store, Ownership ownership) {
        Envelope message = handling.message();
        RecordKey key = handling.key();
        MessageRecord stored;
        MessageRecord steps;
        try {
            stored = store.find(key);
            steps = stored == null ? StoredSteps.find(store::find, key) : null;
        } catch (UnreadableRecordException e) {
            return; // the claim reports it
        }
        int known = stored == null ? 0 : stored.attempt();
        if (message.attempt() <= known) {
            return;
        }
        if (stored == null && (steps == null || StoredSteps.isOf(message, steps))) {
            MessageRecord counted = ownership.fresh(handling).next(RecordState.RELEASED);
            MessageRecord unused = store.create(counted.withVersion(1));
        } else if (stored != null
                && stored.state() == RecordState.RELEASED
                && stored.fingerprint().isOf(message)) {
            MessageRecord unused =
                    store.replace(stored.next(RecordState.RELEASED).withAttempt(known + 1));
        } else {
            return;
        }
        resume(handling, known + 1);
    }
}
