// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import io.safebunny.store.StoreUnavailableException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Opens transactions, and knows which of them is the thread's. Thread-safe. */
final class Transactions {

    private static final TransactionDefinition NEW = definition();

    private final PlatformTransactionManager manager;

    @SuppressWarnings("ThreadLocalUsage") // another store has transactions of its own
    private final ThreadLocal<@Nullable OpenTransaction> current = new ThreadLocal<>();

    Transactions(PlatformTransactionManager manager) {
        this.manager = manager;
    }

    private static TransactionDefinition definition() {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName("safebunny");
        return definition;
    }

    /** A new one, which is the thread's until it ends; then the one before is again. */
    OpenTransaction begin() {
        OpenTransaction outer = current.get();
        OpenTransaction transaction = new OpenTransaction(manager, start(), () -> restore(outer));
        current.set(transaction);
        return transaction;
    }

    @Nullable
    OpenTransaction current() {
        return current.get();
    }

    private void restore(@Nullable OpenTransaction outer) {
        if (outer == null) {
            current.remove();
        } else {
            current.set(outer);
        }
    }

    private TransactionStatus start() {
        try {
            return manager.getTransaction(NEW);
        } catch (TransactionException e) {
            throw new StoreUnavailableException(
                    "No transaction could be opened: there is no connection to the database. It is tried again later; if this goes on, look at the database and the size of the connection pool.",
                    null,
                    e);
        }
    }

    /** Whether a transaction binds a connection of the data source to the thread. */
    boolean reach(DataSource dataSource) {
        TransactionStatus status = start();
        try {
            return TransactionSynchronizationManager.hasResource(dataSource);
        } finally {
            manager.rollback(status);
        }
    }
}
