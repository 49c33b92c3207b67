// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.TransactionalMessageStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** The additional contract of every {@link TransactionalMessageStore}. The stores of the fixture need at least three connections. */
public abstract class TransactionalStoreContract extends MessageStoreContract
        implements TransactionRules, LockRules, SharedTransactionRules {

    private final TransactionBench transactions = new TransactionBench(this);

    @Override
    protected abstract TransactionalMessageStore store();

    @Override
    protected abstract TransactionalMessageStore anotherInstance();

    /** Maximum time that a transaction waits for another one. Choose about a second, because the rules wait that long. */
    protected abstract Duration longestWait();

    /**
     * Ends the transaction that is open on this thread, like a database that ends a session that was idle for too long: it is rolled back
     * and its locks are released without notice.
     */
    protected abstract void endOpenTransaction();

    /** The transactions of the test; used only by the rules. */
    @Override
    public final TransactionBench transactions() {
        return transactions;
    }

    @AfterEach
    final void rollbackWhatIsOpen() {
        transactions.close();
    }
}
