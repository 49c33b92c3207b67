// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.test.contract.bites.Fault;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.test.contract.store.LockingStore.Transaction;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The contract with transactions that have the current fault, the same in all instances. */
class BrokenTransactionsContract extends MemoryTransactionsContractTest {

    private final Fault<BrokenTransactionsContract, LockingStore> fault = Fault.current();
    private final UnaryOperator<LockingStore> broken;

    /** What a fault does to each transaction. */
    Consumer<Sabotage<Transaction>> eachTransaction = transaction -> {};

    BrokenTransactionsContract() {
        broken = fault.in(this, LockingStore.class);
    }

    @Override
    protected TransactionalMessageStore store() {
        return broken.apply(new MemoryTransactions(
                committed,
                locks,
                sound -> Sabotage.sabotaged(Transaction.class, sound, fault.calls(), eachTransaction)));
    }

    @Override
    protected TransactionalMessageStore anotherInstance() {
        return store();
    }

    @Override
    protected Duration longestWait() {
        return Duration.ofMillis(600);
    }

    @Override
    protected Duration patience() {
        return Duration.ofSeconds(5);
    }
}
