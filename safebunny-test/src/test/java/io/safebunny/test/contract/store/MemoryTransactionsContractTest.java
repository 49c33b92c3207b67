// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.test.contract.store.MemoryTransactions.Locks;
import java.time.Duration;
import java.util.Objects;

class MemoryTransactionsContractTest extends TransactionalStoreContract {

    final VirtualTimeline timeline = new VirtualTimeline();
    final MessageStore committed =
            LimitedStore.of(new MemoryMessageStore(timeline, new Retention(retention(), poisonRetention())));
    final Locks locks = new Locks(longestWait());

    @Override
    protected TransactionalMessageStore store() {
        return new MemoryTransactions(committed, locks);
    }

    @Override
    protected TransactionalMessageStore anotherInstance() {
        return new MemoryTransactions(committed, locks);
    }

    @Override
    protected MessageStore otherNode() {
        return LimitedStore.of(new MemoryMessageStore(timeline, new Retention(retention(), poisonRetention())));
    }

    @Override
    protected Duration longestWait() {
        return Duration.ofMillis(300);
    }

    @Override
    protected void endOpenTransaction() {
        LockingStore store = (LockingStore) transactions().store();
        Objects.requireNonNull(store.current().get()).abort();
    }

    @Override
    protected Duration retention() {
        return Duration.ofDays(7);
    }

    @Override
    protected boolean age(Duration duration) {
        timeline.advance(duration);
        return true;
    }

    @Override
    protected long largestContent() {
        return LimitedStore.LIMIT;
    }

    @Override
    protected MessageRecord unstorable(MessageRecord record) {
        return LimitedStore.unstorable(record);
    }
}
