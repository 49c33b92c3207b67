// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Like {@link PointedStore}, with transactions. A step counts as stored when its own transaction is committed. Thread-safe. */
public final class PointedTransactionalStore extends PointedStore implements TransactionalMessageStore {

    private final TransactionalMessageStore store;

    @SuppressWarnings("ThreadLocalUsage") // each store has its own
    private final ThreadLocal<@Nullable AtomicBoolean> storesStep = new ThreadLocal<>();

    public PointedTransactionalStore(TransactionalMessageStore store, Faults faults) {
        super(store, faults);
        this.store = store;
    }

    @Override
    public Permit awaitPermit() throws InterruptedException {
        return store.awaitPermit();
    }

    @Override
    public LocalTransaction begin() {
        LocalTransaction transaction = around(Operation.BEGIN, store::begin);
        return new PointedTransaction(transaction, faults);
    }

    /** Only messages that share it mark it. */
    private static final class PointedTransaction implements LocalTransaction {

        private final LocalTransaction transaction;
        private final Faults faults;
        private boolean marked;

        PointedTransaction(LocalTransaction transaction, Faults faults) {
            this.transaction = transaction;
            this.faults = faults;
        }

        /** A failed commit rolls back, as a database does whose connection ends. */
        @Override
        public void commit() {
            Operation commit = marked ? Operation.COMMIT_TOGETHER : Operation.COMMIT;
            try {
                faults.reached(Point.before(commit));
            } catch (RuntimeException e) {
                transaction.rollback();
                throw e;
            }
            transaction.commit();
            faults.reached(Point.after(commit));
        }

        @Override
        public boolean isKnownToBeOpen() {
            return transaction.isKnownToBeOpen();
        }

        @Override
        public void mark() {
            marked = true;
            passing(Operation.SAVEPOINT, transaction::mark);
        }

        @Override
        public void returnToMark() {
            passing(Operation.RETURN_TO_SAVEPOINT, transaction::returnToMark);
        }

        /** Without an answer the connection is gone, and with it the transaction. */
        private void passing(Operation operation, Runnable io) {
            try {
                faults.reached(Point.before(operation));
                io.run();
                faults.reached(Point.after(operation));
            } catch (StoreUnavailableException e) {
                transaction.rollback();
                throw e;
            }
        }

        /** Never fails, because a rollback must not throw. */
        @Override
        public void rollback() {
            faults.reached(Point.before(Operation.ROLL_BACK));
            transaction.rollback();
            faults.reached(Point.after(Operation.ROLL_BACK));
        }
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
        List<MessageRecord> created = around(Operation.CLAIM_TOGETHER, () -> store.createAll(records));
        created.forEach(this::see);
        return created;
    }

    @Override
    public @Nullable MessageRecord findAndLock(RecordKey key) {
        faults.asksStore();
        MessageRecord found = store.findAndLock(key);
        return found == null ? null : see(found);
    }

    @Override
    public <T> T apart(Supplier<T> action) {
        AtomicBoolean writes = new AtomicBoolean();
        storesStep.set(writes);
        try {
            T result = store.apart(action);
            if (writes.get()) {
                faults.reached(Point.after(Operation.STORE_STEP));
            }
            return result;
        } finally {
            storesStep.remove();
        }
    }

    @Override
    <T> T around(Operation operation, Supplier<T> io) {
        AtomicBoolean apart = storesStep.get();
        if (apart == null || operation != Operation.STORE_STEP) {
            return super.around(operation, io);
        }
        faults.reached(Point.before(operation));
        apart.set(true);
        return io.get();
    }
}
