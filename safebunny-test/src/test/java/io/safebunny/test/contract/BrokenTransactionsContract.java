// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.test.contract.MemoryTransactions.Locks;
import io.safebunny.time.VirtualTimeline;
import java.time.Duration;

/**
 * The contract with transactions that have one fault, the same in all instances. Run by {@link
 * TransactionalStoreContractBitesTest}, ignored by Surefire.
 */
abstract class BrokenTransactionsContract extends TransactionalStoreContract {

    private final VirtualTimeline timeline = new VirtualTimeline();
    final MessageStore committed = LimitedStore.of(new MemoryMessageStore(timeline, retention()));
    final Locks locks = new Locks(longestWait());

    abstract MemoryTransactions broken();

    @Override
    protected TransactionalMessageStore store() {
        return broken();
    }

    @Override
    protected TransactionalMessageStore anotherInstance() {
        return broken();
    }

    @Override
    protected MessageStore otherNode() {
        return LimitedStore.of(new MemoryMessageStore(timeline, retention()));
    }

    @Override
    protected Duration longestWait() {
        return Duration.ofMillis(600);
    }

    @Override
    protected void endOpenTransaction() {
        ((MemoryTransactions) transactions().store()).abortOpen();
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

    @Override
    protected Duration patience() {
        return Duration.ofSeconds(5);
    }
}
