// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.jdbc.sql.SqlWork;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.StoreUnavailableException;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Opens transactions and tracks each thread's current one, on whose connection statements run. Thread-safe. */
final class Transactions implements Connections {

    private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

    private static final TransactionDefinition NEW = definition();

    private final PlatformTransactionManager manager;
    private final DataSource dataSource;

    @SuppressWarnings("ThreadLocalUsage") // not static: another store has its own transactions
    private final ThreadLocal<@Nullable OpenTransaction> current = new ThreadLocal<>();

    /** @param dataSource whose connections the transactions use */
    Transactions(PlatformTransactionManager manager, DataSource dataSource) {
        this.manager = manager;
        this.dataSource = dataSource;
    }

    private static TransactionDefinition definition() {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName("safebunny");
        return definition;
    }

    PlatformTransactionManager manager() {
        return manager;
    }

    /** Opens a new transaction and makes it the thread's current one until it ends; then the outer one is current again. */
    OpenTransaction begin() {
        OpenTransaction outer = current.get();
        TransactionStatus status = start();
        ConnectionHolder connection = (ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource);
        OpenTransaction transaction = new OpenTransaction(manager, status, connection, () -> restore(outer));
        current.set(transaction);
        return transaction;
    }

    @Nullable
    OpenTransaction current() {
        return current.get();
    }

    @Override
    public <T> T once(SqlWork<T> work) throws SQLException {
        return Objects.requireNonNull(current.get(), "no transaction is open").on(work);
    }

    @Override
    public <T> T together(SqlWork<T> work) throws SQLException {
        return once(work);
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
        } catch (RuntimeException e) { // not every manager wraps the exceptions of its resources
            SQLException sql = Failures.sqlCause("No transaction could be begun", e);
            throw new StoreUnavailableException(
                    "No transaction could be begun [SQLState=%s, error=%s]: there is no connection to the database, or it refused. SafeBunny retries later; if this goes on, check the database and the size of the connection pool."
                            .formatted(sql.getSQLState(), sql.getErrorCode()),
                    null,
                    e);
        }
    }

    /**
     * Like {@link #reachDataSource}, but also true if no transaction can be begun while no message is handled, for example because the
     * tenant is unknown: only the first message will tell.
     */
    boolean mayReachDataSource() {
        try {
            return reachDataSource();
        } catch (ApplicationCodeException e) {
            LOG.info(
                    "Whether handlers share the store's transactions is unknown until the first message: {}",
                    e.messageWithoutCode());
            return true;
        }
    }

    /** Whether a transaction binds a connection of the data source to the thread and notifies synchronizations. */
    boolean reachDataSource() {
        TransactionStatus status = start();
        try {
            return TransactionSynchronizationManager.hasResource(dataSource)
                    && TransactionSynchronizationManager.isSynchronizationActive();
        } finally {
            manager.rollback(status);
        }
    }
}
