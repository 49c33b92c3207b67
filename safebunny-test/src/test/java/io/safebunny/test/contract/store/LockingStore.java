// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.JointWrite;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A store of transactions that faults can look into. */
public interface LockingStore extends TransactionalMessageStore {

    /** Of each thread. */
    ThreadLocal<@Nullable Transaction> current();

    /** What it wrote is seen by itself alone until it commits. Bound to the thread that began it. */
    interface Transaction extends LocalTransaction {

        /** What it sees in place of what is committed. */
        Map<RecordKey, MessageRecord> written();

        /** What is done when it commits. */
        List<Runnable> writes();

        /** @return whether it had to wait */
        boolean lock(RecordKey key);

        /** Who has the lock. */
        @Nullable
        Transaction holder(RecordKey key);

        MessageRecord create(MessageRecord record);

        List<MessageRecord> createAll(List<MessageRecord> records);

        @Nullable
        MessageRecord replace(MessageRecord record);

        JointWrite writeTogether(List<MessageRecord> records);

        @Nullable
        MessageRecord find(RecordKey key);

        @Nullable
        MessageRecord findAndLock(RecordKey key);

        /** It is not this thread's any more, and has no locks. */
        void end();

        /** As a database ends a session that was idle for too long. */
        void abort();
    }
}
