// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.fixture.DecisiveStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store, and what handlers write beside it, whose transactions messages can share. Of one thread. */
final class SharingStore extends DecisiveStore {

    /** What handlers wrote, as far as it is committed. */
    final List<String> effects = new ArrayList<>();

    int commits;
    /** While it is away, nothing is answered. */
    boolean isAway;
    /** How often it was asked while it was away. */
    int askedInVain;
    /** No claims can be made together. */
    boolean refusesGroups;
    /** What was written since the mark cannot be committed, as after a failed statement. */
    boolean isSpoilt;
    /** The handler has committed the transaction, or the database has ended it. */
    private boolean isGone;

    private final List<String> uncommittedEffects = new ArrayList<>();

    SharingStore() {
        super(Node.RETENTION);
    }

    @Override
    public boolean sharesTransactions() {
        return true;
    }

    /** What a handler does in its transaction. */
    void effect(String what) {
        uncommittedEffects.add(what);
    }

    @Override
    public void write() {
        super.write();
        effects.addAll(uncommittedEffects);
        uncommittedEffects.clear();
    }

    /** A handler commits by itself. */
    void writeBehindTheBack() {
        write();
        isGone = true;
    }

    private void requireAnswer() {
        if (isAway) {
            askedInVain++;
            throw new StoreUnavailableException("away", null, null);
        }
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        requireAnswer();
        return super.find(key);
    }

    @Override
    public LocalTransaction begin() {
        requireAnswer();
        open = true;
        isGone = false;
        uncommitted.clear();
        uncommittedEffects.clear();
        return new Marked();
    }

    private final class Marked extends Decisive {

        private int records;
        private int doings;

        @Override
        public void commit() {
            requireAnswer();
            commits++;
            super.commit();
        }

        @Override
        public boolean isKnownToBeOpen() {
            return !isGone && !isAway;
        }

        @Override
        public void mark() {
            requireThere();
            if (isSpoilt) {
                throw new StoreUnavailableException("a statement has failed", null, null);
            }
            records = uncommitted.size();
            doings = uncommittedEffects.size();
        }

        @Override
        public void returnToMark() {
            requireThere();
            isSpoilt = false;
            uncommitted.subList(records, uncommitted.size()).clear();
            uncommittedEffects.subList(doings, uncommittedEffects.size()).clear();
        }

        private void requireThere() {
            if (isGone) {
                throw new StoreUnavailableException("no such savepoint", null, null);
            }
        }

        @Override
        public void rollback() {
            super.rollback();
            isSpoilt = false;
            uncommittedEffects.clear();
        }
    }

    @Override
    public List<MessageRecord> createAll(List<MessageRecord> records) {
        if (refusesGroups) {
            throw new StoreUnavailableException("waited in vain", null, null);
        }
        return super.createAll(records);
    }
}
