// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.failure.details.Causes;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.jdbc.sql.SqlWork;
import io.safebunny.jdbc.sql.TransactionState;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.BrokenTransactionException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A Spring transaction that knows how it ended: committed, rolled back, or unknown. Used only by the thread that began it. */
final class OpenTransaction implements LocalTransaction {

    private static final Logger LOG = LoggerFactory.getLogger(OpenTransaction.class);

    private final PlatformTransactionManager manager;
    private final TransactionStatus status;
    private final @Nullable ConnectionHolder connection;
    private final Runnable afterEnd;
    private boolean ended;
    private boolean left;
    private boolean used;
    private boolean spoiled;
    private boolean marked;
    private boolean rollsBackAtCommit;
    private int completion = TransactionSynchronization.STATUS_UNKNOWN;

    /** @param connection {@code null} if the transaction manager bound none; statements then fail */
    OpenTransaction(
            PlatformTransactionManager manager,
            TransactionStatus status,
            @Nullable ConnectionHolder connection,
            Runnable afterEnd) {
        this.manager = manager;
        this.status = status;
        this.connection = connection;
        this.afterEnd = afterEnd;
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                /** Runs before the application's listeners, because for them the transaction must already be over. */
                @Override
                public int getOrder() {
                    return Ordered.HIGHEST_PRECEDENCE;
                }

                @Override
                public void afterCommit() {
                    leave();
                }

                @Override
                public void afterCompletion(int how) {
                    completion = how;
                    leave();
                }
            });
        }
    }

    /** Runs on this transaction's connection, even while the handler has suspended it for a transaction of its own. */
    <T> T on(SqlWork<T> work) throws SQLException {
        if (connection == null) {
            throw new ApplicationCodeException(
                    "The transaction manager has bound no connection of the message store's DataSource [type=%s]. Use its JdbcTransactionManager or JpaTransactionManager."
                            .formatted(manager.getClass().getName()),
                    null);
        }
        connection.requested();
        try {
            return work.on(connection.getConnection());
        } catch (SafeBunnyException e) {
            throw e;
        } catch (RuntimeException e) { // a lazy proxy opens its connection only here
            throw Failures.sqlCause("A statement could not be run in the transaction of a message", e);
        } finally {
            connection.released();
        }
    }

    /** {@inheritDoc} A suspended transaction counts as open. */
    @Override
    public boolean isKnownToBeOpen() {
        return state() == TransactionState.OPEN;
    }

    private TransactionState state() {
        try {
            return on(TransactionState::of);
        } catch (SQLException | RuntimeException e) { // the connection is gone
            return TransactionState.UNKNOWN;
        }
    }

    /**
     * Call when a statement failed: the transaction must not be committed. Some databases have then rolled back everything, others only the
     * statement, so a commit could be partial.
     */
    void spoil() {
        spoiled = true;
    }

    /** Called when an operation of the store succeeded. */
    void use() {
        used = true;
    }

    boolean isUsed() {
        return used;
    }

    /** Called when the database rolled the transaction back before it wrote anything: the same connection can try again. */
    void startOver() {
        spoiled = false;
    }

    /**
     * {@inheritDoc} Takes one round trip, which also releases the previous mark: if that succeeds, it is still the same transaction, and
     * has not failed.
     */
    @Override
    public void mark() {
        if (spoiled || status.isRollbackOnly()) {
            throw new UnexpectedRollbackException(
                    "The transaction can only be rolled back: an operation of the message store failed in it, or code of the application has marked it so. Let the exception out");
        }
        String release = marked ? "release savepoint safebunny; " : "";
        execute(release + "savepoint safebunny", "No savepoint could be set");
        marked = true;
    }

    @Override
    public void returnToMark() {
        execute("rollback to savepoint safebunny", "A transaction could not return to its savepoint");
        if (connection != null) {
            connection.resetRollbackOnly();
        }
        spoiled = false;
    }

    private void execute(String sql, String what) {
        try {
            boolean unused = on(connected -> {
                try (Statement statement = connected.createStatement()) {
                    return statement.execute(sql);
                }
            });
        } catch (SQLException e) {
            throw new Failures("the transaction").translate(what, e);
        }
    }

    @Override
    public void commit() {
        if (spoiled) {
            rollback();
            throw new UnexpectedRollbackException(
                    "The transaction was rolled back: an operation of the message store failed in it. The message is retried; check the earlier failure");
        }
        if (end()) {
            checkLast();
            try {
                manager.commit(status);
            } catch (RuntimeException e) {
                if (!isCommitted(e)) {
                    rethrow(e);
                }
            } catch (Error e) { // for example, from a synchronization
                if (!isCommitted(e)) {
                    throw e;
                }
            } finally {
                leave();
            }
            if (rollsBackAtCommit) {
                throw new BrokenTransactionException(
                        "The transaction of a message was rolled back by its commit: a statement failed in a listener, which went on. Let the exception out, or use a savepoint.",
                        null);
            }
        }
    }

    /** Registered last and without an order, so it runs after all other listeners: they may have swallowed a failed statement. */
    private void checkLast() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCompletion() {
                    rollsBackAtCommit = state() == TransactionState.FAILED;
                }
            });
        }
    }

    private boolean isCommitted(Throwable e) {
        if (completion != TransactionSynchronization.STATUS_COMMITTED) {
            return false;
        }
        LOG.warn(
                "The transaction was committed, but a callback after the commit failed",
                ExceptionDetails.TYPE_ONLY.logged(e));
        return true;
    }

    private void rethrow(RuntimeException e) {
        SQLException sql = Failures.sqlCause(e);
        boolean unknown = sql == null
                ? completion == TransactionSynchronization.STATUS_UNKNOWN && !isRolledBackByJpa(e)
                : Failures.kindOf(sql) == Failures.Kind.CONNECTION;
        if (unknown) {
            throw new StoreUnavailableException(
                    "It is unknown whether the transaction was committed%s: the connection to the database was lost during the commit. The message is redelivered, and its record then decides; check the database if this goes on."
                            .formatted(sql == null ? "" : " [SQLState=%s]".formatted(sql.getSQLState())),
                    null,
                    e);
        }
        throw e;
    }

    /**
     * When JPA's flush fails in an entity callback or a validator, Spring reports an unknown outcome although the transaction was rolled
     * back.
     */
    private static boolean isRolledBackByJpa(Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause.getClass().getName().equals("jakarta.persistence.RollbackException")) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void rollback() {
        if (end()) {
            try {
                manager.rollback(status);
            } catch (RuntimeException e) {
                LOG.debug("A transaction could not be rolled back; the database does so when the connection ends", e);
            } finally {
                leave();
            }
        }
    }

    /** Marks this as ended; returns whether it was still open. */
    private boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        return true;
    }

    /** Ends the transaction for the store: later operations, also those in listeners of the commit, are not part of it. */
    private void leave() {
        if (!left) {
            left = true;
            afterEnd.run();
        }
    }
}
