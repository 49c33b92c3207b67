// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.simulation.run.Place;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One process's access to a store with transactions, with faults. If an answer is lost, its session ends; when the process ends, all its
 * sessions end.
 */
final class FaultyTransactions extends FaultyStore implements TransactionalMessageStore {

    private static final String SAVEPOINT = "a savepoint";
    private static final String COMMIT = "the commit";

    private final TransactionalMessageStore store;
    private final Map<Thread, FaultyTransaction> sessions = new HashMap<>();

    FaultyTransactions(TransactionalMessageStore store, Instance instance) {
        super(store, instance);
        this.store = store;
    }

    /** Ends all sessions. Call when the process ends. */
    void end() {
        List.copyOf(sessions.values()).forEach(FaultyTransaction::lose);
    }

    @Override
    void failed() {
        FaultyTransaction open = sessions.get(Thread.currentThread());
        if (open != null) {
            open.lose();
        }
    }

    @Override
    public LocalTransaction begin() {
        reach(Place.BEFORE_READ, "a transaction");
        FaultyTransaction begun = new FaultyTransaction(store.begin());
        sessions.put(Thread.currentThread(), begun);
        return begun;
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
        String subject = instance.nameOf(records.get(0)) + " and others";
        records.forEach(record -> instance.rules().writes(instance, record));
        reach(Place.BEFORE_WRITE, subject);
        Duration begun = instance.rules().now();
        List<MessageRecord> created = store.createAll(records);
        created.forEach(record -> instance.rules().written(instance, subject, record, begun));
        reach(Place.AFTER_WRITE, subject);
        return created;
    }

    @Override
    public @Nullable MessageRecord findAndLock(RecordKey key) {
        reach(Place.BEFORE_READ, instance.nameOf(key));
        return store.findAndLock(key);
    }

    @Override
    public <T> T apart(Supplier<T> action) {
        FaultyTransaction open = sessions.remove(Thread.currentThread());
        try {
            return store.apart(action);
        } finally {
            if (open != null) {
                sessions.put(Thread.currentThread(), open);
            }
        }
    }

    private final class FaultyTransaction implements LocalTransaction {

        private final Thread thread = Thread.currentThread();
        private final LocalTransaction transaction;
        private boolean lost;

        FaultyTransaction(LocalTransaction transaction) {
            this.transaction = transaction;
        }

        void lose() {
            lost = true;
            rollback();
        }

        private void requireThere() {
            if (lost) {
                throw new StoreUnavailableException("the session is lost", null, null);
            }
        }

        @Override
        public void commit() {
            requireThere();
            reach(Place.BEFORE_WRITE, COMMIT);
            try {
                transaction.commit();
            } finally {
                over();
            }
            reach(Place.AFTER_WRITE, COMMIT);
        }

        @Override
        public boolean isKnownToBeOpen() {
            return !lost && transaction.isKnownToBeOpen();
        }

        @Override
        public void mark() {
            requireThere();
            reach(Place.BEFORE_WRITE, SAVEPOINT);
            transaction.mark();
            reach(Place.AFTER_WRITE, SAVEPOINT);
        }

        @Override
        public void returnToMark() {
            requireThere();
            reach(Place.BEFORE_WRITE, SAVEPOINT);
            transaction.returnToMark();
        }

        @Override
        public void rollback() {
            over();
            transaction.rollback();
        }

        private void over() {
            boolean unused = sessions.remove(thread, this);
        }
    }
}
