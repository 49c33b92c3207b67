// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.node.StoreTimers.Operation;
import io.safebunny.observation.Metrics;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoredPage;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Times the operations of a store, and leaves trails out where they do not fit. Thread-safe. */
class MeteredStore implements MessageStore {

    private final MessageStore store;
    final StoreTimers timers;

    private MeteredStore(MessageStore store, StoreTimers timers) {
        this.store = store;
        this.timers = timers;
    }

    static MeteredStore of(MessageStore store, Timeline timeline, Metrics metrics) {
        if (store instanceof MeteredStore metered) {
            return metered;
        }
        return store instanceof TransactionalMessageStore transactional
                ? new Transactional(transactional, new StoreTimers(metrics, timeline, EnumSet.allOf(Operation.class)))
                : new MeteredStore(
                        store,
                        new StoreTimers(metrics, timeline, EnumSet.range(Operation.CREATE, Operation.REMOVE_EXPIRED)));
    }

    StoreAnswers answers() {
        return timers.answers();
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        return timers.timeWrite(
                Operation.CREATE, record, () -> WithoutTrail.created(store, record), stored -> !stored.owner()
                        .equals(record.owner()));
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return timers.timeWrite(
                Operation.REPLACE, record, () -> WithoutTrail.replaced(store, record), stored -> stored == null);
    }

    @Override
    public void replaceAll(List<MessageRecord> records) {
        Boolean unused = timers.timeWrite(
                Operation.REPLACE_ALL,
                () -> keys(records),
                () -> {
                    store.replaceAll(records);
                    return true;
                },
                written -> false);
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        return timers.timeWrite(
                Operation.WRITE_TOGETHER,
                () -> keys(records),
                () -> WithoutTrail.writtenTogether(store, records),
                JointWrite.Overtaken.class::isInstance);
    }

    static List<RecordKey> keys(List<MessageRecord> records) {
        return records.stream().map(MessageRecord::key).toList();
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        return timers.time(Operation.FIND, () -> store.find(key));
    }

    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        return timers.time(Operation.FIND_COMPLETED, () -> store.findCompleted(unchangedFor, limit));
    }

    @Override
    public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        return timers.time(Operation.FIND_DUE, () -> store.findDue(from, until, limit));
    }

    @Override
    public List<MessageRecord> findListed(ListingQuery query) {
        return timers.time(Operation.FIND_LISTED, () -> store.findListed(query));
    }

    @Override
    public long countListed(String kind, String status) {
        return timers.time(Operation.COUNT_LISTED, () -> store.countListed(kind, status));
    }

    /** Not timed, like {@link #findCorrelationIds}: what people look for, and how long that may take, says nothing of the node's store. */
    @Override
    public List<DatedRecord> findCorrelated(String correlationId, int limit) {
        return store.findCorrelated(correlationId, limit);
    }

    @Override
    public @Nullable StoredPage<MessageRecord> findAll(@Nullable String after, int limit) {
        return store.findAll(after, limit);
    }

    @Override
    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        return store.findCorrelationIds(messageId, limit, atMost);
    }

    @Override
    public boolean mayKeepStepsApart() {
        return store.mayKeepStepsApart();
    }

    @Override
    public boolean readsAreDecisive() {
        return store.readsAreDecisive();
    }

    @Override
    public int removeExpired(int limit) {
        int removed = timers.time(Operation.REMOVE_EXPIRED, () -> store.removeExpired(limit));
        if (removed < limit) { // fewer than the limit: the store has gone through all kinds of records
            answers().everythingWritten();
        }
        return removed;
    }

    /** The variant for a store that takes part in the handlers' transactions. */
    private static final class Transactional extends MeteredStore implements TransactionalMessageStore {

        private final TransactionalMessageStore store;

        Transactional(TransactionalMessageStore store, StoreTimers timers) {
            super(store, timers);
            this.store = store;
        }

        @Override
        public Permit awaitPermit() throws InterruptedException {
            return store.awaitPermit();
        }

        @Override
        public LocalTransaction begin() {
            LocalTransaction begun = timers.time(Operation.BEGIN, store::begin);
            return new LocalTransaction() {
                @Override
                public void commit() {
                    Boolean unused = timers.time(Operation.COMMIT, () -> {
                        begun.commit();
                        return true;
                    });
                }

                @Override
                public boolean isKnownToBeOpen() {
                    return begun.isKnownToBeOpen();
                }

                @Override
                public void mark() {
                    begun.mark();
                }

                @Override
                public void returnToMark() {
                    begun.returnToMark();
                }

                @Override
                public void rollback() {
                    begun.rollback();
                }
            };
        }

        @Override
        public boolean endsKnowingly() {
            return store.endsKnowingly();
        }

        @Override
        public boolean sharesTransactions() {
            return store.sharesTransactions();
        }

        @Override
        public List<MessageRecord> createAll(List<MessageRecord> records) {
            return timers.timeWrite(
                    Operation.CREATE,
                    () -> keys(records),
                    () -> store.createAll(records),
                    created -> created.size() < records.size());
        }

        @Override
        public @Nullable MessageRecord findAndLock(RecordKey key) {
            return timers.time(Operation.FIND_AND_LOCK, () -> store.findAndLock(key));
        }

        @Override
        public <T> T apart(Supplier<T> action) {
            return store.apart(action);
        }
    }
}
