// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.failure.MisuseException;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Transactions on top of a store in memory, as a database with locks on rows has them. For the contract's own tests. */
final class MemoryTransactions extends ForwardingMessageStore implements LockingStore {

    /** The rows that are written by open transactions. One for all instances. */
    static final class Locks {

        private final Duration longestWait;
        private final Map<RecordKey, Transaction> holders = new HashMap<>();

        Locks(Duration longestWait) {
            this.longestWait = longestWait;
        }

        /** @return whether it had to wait */
        synchronized boolean acquire(RecordKey key, Transaction transaction) {
            long end = System.nanoTime() + longestWait.toNanos();
            boolean waited = false;
            while (holders.getOrDefault(key, transaction) != transaction) {
                waited = true;
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new StoreUnavailableException("waited too long", Duration.ofSeconds(1), null);
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new StoreUnavailableException("interrupted", null, e);
                }
            }
            holders.put(key, transaction);
            return waited;
        }

        synchronized void release(Transaction transaction) {
            holders.values().removeIf(holder -> holder == transaction);
            notifyAll();
        }

        synchronized @Nullable Transaction holder(RecordKey key) {
            return holders.get(key);
        }
    }

    private static final Comparator<RecordKey> IN_ORDER =
            Comparator.comparing(RecordKey::correlationId).thenComparing(RecordKey::messageId);

    private final Locks locks;
    private final UnaryOperator<Transaction> used;

    @SuppressWarnings("ThreadLocalUsage") // each database has its own
    private final ThreadLocal<@Nullable Transaction> current = new ThreadLocal<>();

    MemoryTransactions(MessageStore committed, Locks locks) {
        this(committed, locks, UnaryOperator.identity());
    }

    /** @param used what is used in place of a sound transaction */
    MemoryTransactions(MessageStore committed, Locks locks, UnaryOperator<Transaction> used) {
        super(committed);
        this.locks = locks;
        this.used = used;
    }

    /** Its writes reach the store when it commits; the locks see to it that they are still valid then. */
    private final class SoundTransaction implements Transaction {

        private final Map<RecordKey, MessageRecord> written = new HashMap<>();
        private final List<Runnable> writes = new ArrayList<>();
        private final Map<RecordKey, MessageRecord> writtenAtMark = new HashMap<>();
        private int writesAtMark;
        private boolean marked;
        private boolean failed;
        private boolean aborted;

        @Override
        public Map<RecordKey, MessageRecord> written() {
            return written;
        }

        @Override
        public List<Runnable> writes() {
            return writes;
        }

        @Override
        public void abort() {
            aborted = true;
            written.clear();
            writes.clear();
            locks.release(this);
        }

        private void requireAlive() {
            if (aborted) {
                throw new StoreUnavailableException("the session was ended", null, null);
            }
        }

        @Override
        public void commit() {
            requireAlive();
            try {
                writes.forEach(Runnable::run);
            } finally {
                end();
            }
        }

        @Override
        public boolean isKnownToBeOpen() {
            return !aborted && !failed;
        }

        @Override
        public void mark() {
            requireAlive();
            if (failed) {
                throw new IllegalStateException("an operation has failed since the mark");
            }
            writtenAtMark.clear();
            writtenAtMark.putAll(written);
            writesAtMark = writes.size();
            marked = true;
        }

        @Override
        public void returnToMark() {
            requireAlive();
            if (!marked) {
                throw new IllegalStateException("there is no mark");
            }
            written.clear();
            written.putAll(writtenAtMark);
            writes.subList(writesAtMark, writes.size()).clear();
            failed = false;
        }

        @Override
        public void rollback() {
            end();
        }

        @Override
        public void end() {
            current.remove();
            locks.release(this);
        }

        @Override
        public boolean lock(RecordKey key) {
            requireAlive();
            try {
                return locks.acquire(key, this);
            } catch (StoreUnavailableException e) {
                failed = true;
                throw e;
            }
        }

        @Override
        public @Nullable Transaction holder(RecordKey key) {
            return locks.holder(key);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            requireAlive();
            MessageRecord own = written.get(key);
            return own == null ? wrapped.find(key) : own;
        }

        @Override
        public @Nullable MessageRecord findAndLock(RecordKey key) {
            requireAlive();
            if (find(key) == null) {
                return null;
            }
            lock(key);
            return find(key);
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            lock(record.key());
            MessageRecord existing = find(record.key());
            if (existing != null) {
                return existing;
            }
            written.put(record.key(), record);
            writes.add(() -> wrapped.create(record));
            return record;
        }

        @Override
        public List<MessageRecord> createAll(List<MessageRecord> records) {
            records.stream().map(MessageRecord::key).sorted(IN_ORDER).forEach(this::lock);
            List<MessageRecord> created = records.stream()
                    .filter(record -> find(record.key()) == null)
                    .toList();
            created.forEach(record -> written.put(record.key(), record));
            writes.add(() -> created.forEach(wrapped::create));
            return created;
        }

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            JointWrite.requireOnePartition(records);
            records.forEach(LimitedStore::requireSmall);
            records.stream().sorted(JointWrite.LOCK_ORDER).forEach(record -> lock(record.key()));
            for (MessageRecord record : records) {
                MessageRecord existing = find(record.key());
                if ((existing == null ? 0 : existing.version()) != record.version() - 1) {
                    return new JointWrite.Overtaken(record.key());
                }
            }
            records.forEach(record -> written.put(record.key(), record));
            writes.add(() -> wrapped.writeTogether(records));
            return new JointWrite.Written(records);
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            LimitedStore.requireSmall(record);
            lock(record.key());
            MessageRecord existing = find(record.key());
            if (existing == null || existing.version() != record.version() - 1) {
                return null;
            }
            written.put(record.key(), record);
            writes.add(() -> wrapped.replace(record));
            return record;
        }
    }

    @Override
    public ThreadLocal<@Nullable Transaction> current() {
        return current;
    }

    @Override
    public LocalTransaction begin() {
        if (current.get() != null) {
            throw new MisuseException(MisuseException.OPEN_TRANSACTION, "a transaction is open on this thread");
        }
        Transaction transaction = used.apply(new SoundTransaction());
        current.set(transaction);
        return transaction;
    }

    @Override
    public boolean endsKnowingly() {
        return true;
    }

    @Override
    public boolean sharesTransactions() {
        return true;
    }

    @Override
    public List<MessageRecord> createAll(List<MessageRecord> records) {
        Transaction open = current.get();
        return open == null ? inTransaction(() -> createAll(records)) : open.createAll(records);
    }

    @Override
    public <T> T apart(Supplier<T> action) {
        Transaction outer = current.get();
        current.remove();
        try {
            return inTransaction(action);
        } finally {
            current.set(outer);
        }
    }

    private <T> T inTransaction(Supplier<T> action) {
        LocalTransaction transaction = begin();
        T result;
        try {
            result = action.get();
        } catch (Throwable failure) {
            transaction.rollback();
            throw failure;
        }
        transaction.commit();
        return result;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        Transaction open = current.get();
        return open == null ? inTransaction(() -> create(record)) : open.create(record);
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        Transaction open = current.get();
        return open == null ? wrapped.replace(record) : open.replace(record);
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        Transaction open = current.get();
        return open == null ? inTransaction(() -> writeTogether(records)) : open.writeTogether(records);
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        Transaction open = current.get();
        return open == null ? wrapped.find(key) : open.find(key);
    }

    @Override
    public @Nullable MessageRecord findAndLock(RecordKey key) {
        Transaction open = current.get();
        if (open == null) {
            throw new MisuseException(MisuseException.NOT_RUNNING, "no transaction is open on this thread");
        }
        return open.findAndLock(key);
    }
}
