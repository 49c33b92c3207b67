// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks records as dispatched, in batches and a moment later. Nobody waits for it; a mark lost in a crash only costs sending the
 * same messages again. Thread-safe.
 */
final class Marks {

    private static final Logger LOG = LoggerFactory.getLogger(Marks.class);

    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final Duration NO_ANSWER_DELAY = Duration.ofSeconds(1);
    private static final int BATCH = 200;
    private static final int MOST = 10_000;

    private final MessageStore store;
    private final DedupLog log;
    private final SerialTask flushing;
    /** As long as it is not empty, a flush is scheduled or running. */
    private final Map<RecordKey, MessageRecord> pending = new LinkedHashMap<>();
    /**
     * Dispatched records whose mark the store refuses for good. The oldest are dropped, and their publications sent once more.
     */
    private final Map<RecordKey, Boolean> refused = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordKey, Boolean> eldest) {
            return size() > MOST;
        }
    };

    /** Halved after a failure, to isolate a record that cannot be marked, and doubled again after a success. */
    private int mostAtOnce = BATCH;

    /** @param blocking runs the flush, which waits for the store */
    Marks(MessageStore store, Timeline timeline, Executor blocking, DedupLog log) {
        this.store = store;
        this.log = log;
        this.flushing = new SerialTask("marking messages as sent", this::flushAndGoOn, blocking, timeline);
    }

    /** @param completed a record whose publications are all confirmed */
    void add(MessageRecord completed) {
        MessageRecord mark = completed.dispatched();
        synchronized (this) {
            if (pending.size() < MOST) {
                if (pending.isEmpty()) {
                    flushing.requestAfter(MOMENT);
                }
                pending.put(mark.key(), mark);
                return;
            }
        }
        try {
            // marks come faster than the store takes them: write at once, which slows the messages down
            store.replace(mark);
        } catch (RuntimeException e) {
            log.noAnswer(mark.key().messageId(), "its publications will be sent again later", e);
        }
    }

    /** Whether the record is dispatched, but its mark is not in the store: not yet, or because the store refused it. */
    synchronized boolean contains(RecordKey key) {
        return pending.containsKey(key) || refused.containsKey(key);
    }

    private void flushAndGoOn() {
        Duration next = NO_ANSWER_DELAY;
        try {
            next = flush() ? MOMENT : NO_ANSWER_DELAY;
        } finally {
            goOn(next);
        }
    }

    private synchronized void goOn(Duration next) {
        if (!pending.isEmpty()) {
            flushing.requestAfter(next);
        }
    }

    /** @return whether the store accepted all marks that were pending at the beginning */
    boolean flush() {
        List<MessageRecord> batch = batch();
        while (!batch.isEmpty()) {
            try {
                markAll(batch);
            } catch (RuntimeException e) {
                log.noAnswer(batch.get(0).key().messageId(), "marking messages as sent is retried", e);
                moveBack(batch);
                return false;
            }
            log.answered();
            if (remove(batch)) {
                return true;
            }
            batch = batch();
        }
        return true;
    }

    private void markAll(List<MessageRecord> batch) {
        try {
            store.replaceAll(batch);
        } catch (RecordRefusedException e) {
            // one of them is refused: write them one by one, so that it does not block the others
            batch.forEach(this::markUnlessRefused);
        }
    }

    private void markUnlessRefused(MessageRecord record) {
        try {
            store.replace(record);
        } catch (RecordRefusedException e) {
            String id = record.key().messageId();
            log.tell(
                    Subject.warn(LOG, "Messages cannot be marked as sent"),
                    id,
                    () -> LOG.warn(
                            "Message {} cannot be marked as sent; after a restart it is sent once more",
                            id,
                            log.tellable(e)));
            synchronized (this) {
                refused.put(record.key(), true);
            }
        }
    }

    private synchronized List<MessageRecord> batch() {
        return pending.values().stream().limit(mostAtOnce).toList();
    }

    /** Moves the batch to the end, so that a record that cannot be marked does not block those behind it. */
    private synchronized void moveBack(List<MessageRecord> batch) {
        mostAtOnce = Math.max(1, batch.size() / 2);
        for (MessageRecord record : batch) {
            if (pending.remove(record.key(), record)) {
                pending.put(record.key(), record);
            }
        }
    }

    /**
     * Leaves a record that was dispatched again in the meantime.
     *
     * @return whether the batch held all that was pending
     */
    private synchronized boolean remove(List<MessageRecord> marked) {
        boolean all = marked.size() < mostAtOnce;
        mostAtOnce = Math.min(BATCH, mostAtOnce * 2);
        marked.forEach(record -> pending.remove(record.key(), record));
        return all;
    }
}
