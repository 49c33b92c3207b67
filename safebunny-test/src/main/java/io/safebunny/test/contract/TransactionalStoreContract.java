// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.store.TransactionalMessageStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/**
 * What every {@link TransactionalMessageStore} does in addition to what every store does. The stores of the fixture need at
 * least three connections.
 */
public abstract class TransactionalStoreContract extends MessageStoreContract implements TransactionRules, LockRules {

    private final TransactionBench transactions = new TransactionBench(this);

    @Override
    protected abstract TransactionalMessageStore store();

    @Override
    protected abstract TransactionalMessageStore anotherInstance();

    /** How long a transaction waits for another one at most: a second or so, since the rules wait for it. */
    protected abstract Duration longestWait();

    /**
     * Ends the transaction that is open on this thread as the database does it by itself, to a session that was idle for too long: what
     * it wrote is undone, its locks are free, and nobody is told.
     */
    protected abstract void endOpenTransaction();

    /** For the rules only. */
    @Override
    public final TransactionBench transactions() {
        return transactions;
    }

    @AfterEach
    final void rollbackWhatIsOpen() {
        transactions.close();
    }
}
