// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.failure.MisuseException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.JointWrite;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records and rows of an application in one database, whose transactions messages can share. Whoever needs what another transaction has locked
 * is refused at once, because nobody can wait in real time. Confined to the run.
 */
final class SharedDatabase extends ForwardingMessageStore implements TransactionalMessageStore {

    private static final Duration RETENTION = Duration.ofDays(366);
    private static final Duration BUSY = Duration.ofMillis(200);

    private final Map<Thread, Transaction> open = new HashMap<>();
    private final Map<RecordKey, Transaction> locks = new HashMap<>();
    private final List<String> rows = new ArrayList<>();

    SharedDatabase(Timeline timeline) {
        super(new MemoryMessageStore(timeline, RETENTION));
    }

    /** Those that are committed. */
    List<String> rows() {
        return rows;
    }

    /** In the transaction that is open on this thread. */
    void insert(String row) {
        require().inserted.add(row);
    }

    /** Whether several messages have the transaction that is open on this thread. */
    boolean isShared() {
        return require().marked;
    }

    private Transaction require() {
        Transaction transaction = open.get(Thread.currentThread());
        if (transaction == null) {
            throw new MisuseException(
                    MisuseException.NOT_RUNNING, "No transaction is open on this thread. Use begin first.");
        }
        return transaction;
    }

    @Override
    public LocalTransaction begin() {
        Transaction begun = new Transaction();
        open.put(Thread.currentThread(), begun);
        return begun;
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
    public MessageRecord create(MessageRecord record) {
        Transaction transaction = open.get(Thread.currentThread());
        return transaction == null ? wrapped.create(record) : transaction.create(record);
    }

    @Override
    public List<MessageRecord> createAll(List<MessageRecord> records) {
        Transaction transaction = require();
        records.forEach(record -> transaction.lock(record.key()));
        return records.stream()
                .filter(record -> transaction.find(record.key()) == null)
                .map(transaction::create)
                .toList();
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        Transaction transaction = open.get(Thread.currentThread());
        if (transaction != null) {
            return transaction.replace(record);
        }
        requireUnlocked(record.key(), null);
        return wrapped.replace(record);
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        if (open.containsKey(Thread.currentThread())) {
            throw new MisuseException(
                    MisuseException.ARGUMENT, "No story changes companions in a transaction. Use steps in none.");
        }
        return wrapped.writeTogether(records);
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        Transaction transaction = open.get(Thread.currentThread());
        return transaction == null ? wrapped.find(key) : transaction.find(key);
    }

    @Override
    public @Nullable MessageRecord findAndLock(RecordKey key) {
        Transaction transaction = require();
        if (transaction.find(key) != null) {
            transaction.lock(key);
        }
        return transaction.find(key);
    }

    @Override
    public <T> T apart(Supplier<T> action) {
        Transaction outer = open.remove(Thread.currentThread());
        try {
            return action.get();
        } finally {
            if (outer != null) {
                open.put(Thread.currentThread(), outer);
            }
        }
    }

    private void requireUnlocked(RecordKey key, @Nullable Transaction by) {
        Transaction holder = locks.get(key);
        if (holder != null && holder != by) {
            throw new StoreUnavailableException("another transaction has locked it", BUSY, null);
        }
    }

    /** What it writes becomes visible when it commits; the locks see to it that it is still valid then. */
    private final class Transaction implements LocalTransaction {

        private final Thread thread = Thread.currentThread();
        private final Map<RecordKey, MessageRecord> written = new HashMap<>();
        private final List<Runnable> writes = new ArrayList<>();
        private final List<String> inserted = new ArrayList<>();
        private Map<RecordKey, MessageRecord> writtenAtMark = Map.of();
        private int writesAtMark;
        private int insertedAtMark;
        private boolean marked;
        private boolean ended;

        private void lock(RecordKey key) {
            requireUnlocked(key, this);
            locks.put(key, this);
        }

        private @Nullable MessageRecord find(RecordKey key) {
            MessageRecord own = written.get(key);
            return own == null ? wrapped.find(key) : own;
        }

        private MessageRecord create(MessageRecord record) {
            lock(record.key());
            MessageRecord existing = find(record.key());
            if (existing != null) {
                return existing;
            }
            written.put(record.key(), record);
            writes.add(() -> wrapped.create(record));
            return record;
        }

        private @Nullable MessageRecord replace(MessageRecord record) {
            lock(record.key());
            MessageRecord existing = find(record.key());
            if (existing == null || existing.version() != record.version() - 1) {
                return null;
            }
            written.put(record.key(), record);
            writes.add(() -> wrapped.replace(record));
            return record;
        }

        private void requireOpen() {
            if (ended) {
                throw new StoreUnavailableException("the transaction has ended", null, null);
            }
        }

        @Override
        public boolean isKnownToBeOpen() {
            return !ended;
        }

        @Override
        public void mark() {
            requireOpen();
            marked = true;
            writtenAtMark = Map.copyOf(written);
            writesAtMark = writes.size();
            insertedAtMark = inserted.size();
        }

        @Override
        public void returnToMark() {
            requireOpen();
            written.clear();
            written.putAll(writtenAtMark);
            writes.subList(writesAtMark, writes.size()).clear();
            inserted.subList(insertedAtMark, inserted.size()).clear();
        }

        @Override
        public void commit() {
            requireOpen();
            writes.forEach(Runnable::run);
            rows.addAll(inserted);
            end();
        }

        @Override
        public void rollback() {
            end();
        }

        private void end() {
            ended = true;
            boolean unused = open.remove(thread, this);
            locks.values().removeIf(holder -> holder == this);
        }
    }
}
