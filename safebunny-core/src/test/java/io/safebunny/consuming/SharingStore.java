// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.JointWrite;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store, and what handlers write beside it, whose transactions messages can share. Of one thread. */
final class SharingStore extends ForwardingMessageStore implements TransactionalMessageStore {

    /** What handlers wrote, as far as it is committed. */
    final List<String> effects = new ArrayList<>();

    int commits;
    /** What happens in place of the next commit. */
    @Nullable
    Runnable commit;
    /** No claims can be made together. */
    boolean refusesGroups;
    /** What was written since the mark cannot be committed, as after a failed statement. */
    boolean isSpoilt;
    /** The handler has committed the transaction, or the database has ended it. */
    private boolean isGone;

    private boolean open;
    /** Records and effects. */
    private final List<Object> uncommitted = new ArrayList<>();

    private int mark;

    SharingStore() {
        super(new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION));
    }

    @Override
    public boolean endsKnowingly() {
        return true;
    }

    @Override
    public boolean sharesTransactions() {
        return true;
    }

    /** What a handler does in its transaction. */
    void effect(String what) {
        uncommitted.add(what);
    }

    /** As a commit does; also one of which only the handler knows. */
    void write() {
        for (Object each : uncommitted) {
            if (each instanceof MessageRecord record) {
                Object unused = JointWrite.isCreated(record)
                        ? wrapped.create(record)
                        : Objects.requireNonNull(wrapped.replace(record));
            } else {
                effects.add((String) each);
            }
        }
        uncommitted.clear();
    }

    /** A handler commits by itself. */
    void writeBehindTheBack() {
        write();
        isGone = true;
    }

    @Override
    public LocalTransaction begin() {
        open = true;
        isGone = false;
        uncommitted.clear();
        return new LocalTransaction() {
            @Override
            public void commit() {
                open = false;
                commits++;
                Runnable instead = commit;
                commit = null;
                (instead == null ? (Runnable) SharingStore.this::write : instead).run();
            }

            @Override
            public boolean isKnownToBeOpen() {
                return !isGone;
            }

            @Override
            public void mark() {
                requireThere();
                if (isSpoilt) {
                    throw new StoreUnavailableException("a statement has failed", null, null);
                }
                mark = uncommitted.size();
            }

            @Override
            public void returnToMark() {
                requireThere();
                isSpoilt = false;
                uncommitted.subList(mark, uncommitted.size()).clear();
            }

            private void requireThere() {
                if (isGone) {
                    throw new StoreUnavailableException("no such savepoint", null, null);
                }
            }

            @Override
            public void rollback() {
                open = false;
                isSpoilt = false;
                uncommitted.clear();
            }
        };
    }

    @Override
    public <T> T apart(Supplier<T> action) {
        boolean before = open;
        open = false;
        try {
            return action.get();
        } finally {
            open = before;
        }
    }

    @Override
    public List<MessageRecord> createAll(List<MessageRecord> records) {
        if (refusesGroups) {
            throw new StoreUnavailableException("waited in vain", null, null);
        }
        return TransactionalMessageStore.super.createAll(records);
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        MessageRecord stored = find(record.key());
        if (stored != null) {
            return stored;
        }
        return open ? written(record) : wrapped.create(record);
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        if (!open) {
            return wrapped.replace(record);
        }
        MessageRecord stored = find(record.key());
        return stored != null && stored.version() == record.version() - 1 ? written(record) : null;
    }

    private MessageRecord written(MessageRecord record) {
        uncommitted.add(record);
        return record;
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        if (!open) {
            return wrapped.writeTogether(records);
        }
        records.forEach(this::written);
        return new JointWrite.Written(records);
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        return uncommitted.stream()
                .filter(each -> open
                        && each instanceof MessageRecord record
                        && record.key().equals(key))
                .map(MessageRecord.class::cast)
                .reduce((before, latest) -> latest)
                .orElseGet(() -> wrapped.find(key));
    }

    @Override
    public @Nullable MessageRecord findAndLock(RecordKey key) {
        return find(key);
    }
}
