// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordRefusedException;
import io.safebunny.time.Timeline;
import io.safebunny.work.SerialTask;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks records as dispatched, in batches, a moment after the fact: nobody waits for it, and a mark that is lost in a crash costs
 * a second sending of the same messages. Thread-safe.
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
    /** While it has one, a flush is planned or under way. */
    private final Map<RecordKey, MessageRecord> pending = new LinkedHashMap<>();
    /** Dispatched, though the store will never say so; the oldest are forgotten, and are sent once more. */
    private final Map<RecordKey, Boolean> refused = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordKey, Boolean> eldest) {
            return size() > MOST;
        }
    };

    /** Less after a failure, so that what cannot be marked is found out, and more again after a success. */
    private int mostAtOnce = BATCH;

    /** @param blocking runs what waits for the store */
    Marks(MessageStore store, Timeline timeline, Executor blocking, DedupLog log) {
        this.store = store;
        this.log = log;
        this.flushing = new SerialTask("marking messages as sent", this::flushAndGoOn, blocking, timeline);
    }

    /** @param completed whose publications are all confirmed */
    void add(MessageRecord completed) {
        synchronized (this) {
            if (pending.size() < MOST) {
                if (pending.isEmpty()) {
                    flushing.requestAfter(MOMENT);
                }
                pending.put(completed.key(), completed.dispatched());
                return;
            }
        }
        try {
            store.replace(completed.dispatched()); // the store is slower than the messages: they wait for it
        } catch (RuntimeException e) {
            log.noAnswer(completed.key().messageId(), "what it published is sent again later", e);
        }
    }

    /** Whether the record is dispatched, though the store does not say so, or not yet. */
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

    /** @return whether the store took all that was there at the beginning */
    boolean flush() {
        List<MessageRecord> batch = batch();
        while (!batch.isEmpty()) {
            try {
                markAll(batch);
            } catch (RuntimeException e) {
                log.noAnswer(batch.get(0).key().messageId(), "messages are marked as sent later", e);
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
        } catch (RecordRefusedException e) { // one of them: it must not be in the way of the others
            batch.forEach(this::markUnlessRefused);
        }
    }

    private void markUnlessRefused(MessageRecord record) {
        try {
            store.replace(record);
        } catch (RecordRefusedException e) {
            String id = record.key().messageId();
            log.tell(
                    Kind.warn(LOG, "Messages cannot be marked as sent"),
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

    /** One record that cannot be marked must not be in the way of those behind it. */
    private synchronized void moveBack(List<MessageRecord> batch) {
        mostAtOnce = Math.max(1, batch.size() / 2);
        for (MessageRecord record : batch) {
            if (pending.remove(record.key(), record)) {
                pending.put(record.key(), record);
            }
        }
    }

    /**
     * Unless dispatched once more in the meantime.
     *
     * @return whether these were all
     */
    private synchronized boolean remove(List<MessageRecord> marked) {
        boolean all = marked.size() < mostAtOnce;
        mostAtOnce = Math.min(BATCH, mostAtOnce * 2);
        marked.forEach(record -> pending.remove(record.key(), record));
        return all;
    }
}
