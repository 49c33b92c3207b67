// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.TransactionState;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.StoredPage;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps records in the database that the application's handlers write to, in the same transactions. Thread-safe.
 *
 * <p>Works with a transaction manager that binds the {@code DataSource}'s connection to the thread: {@code JdbcTransactionManager} and
 * {@code JpaTransactionManager} do. A transaction holds one connection from beginning to end, {@link #apart} takes a second one for a
 * moment, and every other operation takes one at a time; {@link #handledAtOnce} tells how many messages a pool can serve. Each store counts
 * only its own messages: two nodes in one JVM need separate pools.
 *
 * <p>Once an operation has failed in a transaction, the transaction can only be rolled back.
 */
public final class TransactionalJdbcMessageStore implements TransactionalMessageStore {

    private static final int DEADLOCK_IN_MYSQL = 1213;

    /** Higher than the number of concurrent deliveries of one message. */
    private static final int CREATE_TRIES = 10;

    private static final int SHARE_OF_STEPS = 5;

    private final Semaphore turns;
    private final Transactions transactions;
    private final boolean isMySql;
    private final boolean endsKnowingly;
    private final JdbcMessageStore alone;
    private final JdbcMessageStore joined;

    /** For a {@code DataSource} without a limit on its connections. */
    public TransactionalJdbcMessageStore(
            DataSource dataSource, PlatformTransactionManager transactionManager, JdbcStoreOptions options) {
        this(dataSource, transactionManager, options, Integer.MAX_VALUE);
    }

    /**
     * Queries the database, as {@link JdbcMessageStore} does.
     *
     * @param handledAtOnce how many messages may hold a connection in their transaction; the others wait, first come, first
     *     served. See {@link #handledAtOnce}
     * @throws ConfigurationException SB-1401, SB-1402, or SB-1405 when the transaction manager does not manage this {@code
     *     DataSource}
     * @throws StoreUnavailableException when the database does not answer
     */
    public TransactionalJdbcMessageStore(
            DataSource dataSource,
            PlatformTransactionManager transactionManager,
            JdbcStoreOptions options,
            int handledAtOnce) {
        this.turns = new Semaphore(handledAtOnce, true);
        DataSource target = JdbcSchema.unwrap(dataSource);
        this.alone = new JdbcMessageStore(target, options);
        this.isMySql = alone.dialect() == Dialect.MYSQL || alone.dialect() == Dialect.MARIADB;
        this.endsKnowingly = alone.dialect() == Dialect.POSTGRESQL && TransactionState.isKnown(target);
        this.transactions = new Transactions(transactionManager, target);
        this.joined = alone.over(transactions);
        if (!transactions.mayReachDataSource()) {
            throw new ConfigurationException(
                    "SB-1405",
                    "The transaction manager does not bind connections of the message store's DataSource to the thread, or does not notify synchronizations (transactionSynchronization=NEVER) [type=%s]."
                            .formatted(transactionManager.getClass().getName()),
                    "Use a JdbcTransactionManager or JpaTransactionManager for this DataSource, or set safebunny.store.jdbc.transactional=false.");
        }
    }

    /**
     * Whether transactions of this manager use connections of the {@code DataSource}; begins one to find out.
     *
     * @throws StoreUnavailableException when the database does not answer
     * @throws ApplicationCodeException when no transaction can be begun for a reason that is not the database's
     */
    public static boolean fits(DataSource dataSource, PlatformTransactionManager transactionManager) {
        return new Transactions(transactionManager, JdbcSchema.unwrap(dataSource)).reachDataSource();
    }

    /**
     * How many messages may be handled at once with a pool of that size: all connections but a reserve of a fifth, at least one. Without
     * the reserve, handlers holding every connection would wait forever for the one that their own steps and marks need.
     *
     * @param connections maximum size of the pool
     * @return 0 for fewer than two connections, which are too few
     */
    public static int handledAtOnce(int connections) {
        return Math.max(0, connections - Math.max(1, connections / SHARE_OF_STEPS));
    }

    /** Begins the transactions in which messages are handled. */
    public PlatformTransactionManager transactionManager() {
        return transactions.manager();
    }

    @Override
    public Permit awaitPermit() throws InterruptedException {
        turns.acquire();
        return turns::release;
    }

    /** @throws MisuseException SB-5007 when a transaction is open on this thread */
    @Override
    public LocalTransaction begin() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new MisuseException(
                    MisuseException.OPEN_TRANSACTION,
                    "A transaction is already open on this thread [name=%s], but a message must be handled in its own transaction. End it first."
                            .formatted(TransactionSynchronizationManager.getCurrentTransactionName()));
        }
        return transactions.begin();
    }

    /**
     * {@inheritDoc} True for PostgreSQL with its own driver. False for MySQL, MariaDB and H2: they commit when DDL is executed, and roll
     * back the whole transaction of a deadlock's victim.
     */
    @Override
    public boolean endsKnowingly() {
        return endsKnowingly;
    }

    /**
     * {@inheritDoc} True for PostgreSQL with its own driver and a {@code JdbcTransactionManager}: after a return to a savepoint, JPA would
     * still hold the entities of the undone message.
     */
    @Override
    public boolean sharesTransactions() {
        return endsKnowingly && transactions.manager() instanceof DataSourceTransactionManager;
    }

    /** In PostgreSQL in one statement. */
    @Override
    public List<MessageRecord> createAll(List<MessageRecord> records) {
        return alone.dialect() == Dialect.POSTGRESQL
                ? here(store -> store.createAll(records))
                : TransactionalMessageStore.super.createAll(records);
    }

    @Override
    public <T> T apart(Supplier<T> action) {
        OpenTransaction transaction = transactions.begin();
        T result;
        try {
            result = action.get();
        } catch (RuntimeException | Error e) {
            transaction.rollback();
            throw e;
        }
        transaction.commit();
        return result;
    }

    /** {@inheritDoc} Outside a transaction of this store it commits by itself, as do all operations. */
    @Override
    public MessageRecord create(MessageRecord record) {
        OpenTransaction transaction = transactions.current();
        boolean first = transaction != null && !transaction.isUsed();
        for (int tries = 1; ; tries++) {
            try {
                return here(store -> store.create(record));
            } catch (StoreUnavailableException e) {
                if (!first || tries == CREATE_TRIES || !canStartOver(e)) {
                    throw e;
                }
                Objects.requireNonNull(transaction).startOver();
            }
        }
    }

    /**
     * When several creations wait for one transaction and it is rolled back, MySQL and MariaDB let one waiter continue and abort the others
     * as deadlock victims. A transaction that had written nothing before has lost nothing and can retry on the same connection.
     */
    private boolean canStartOver(StoreUnavailableException e) {
        SQLException sql = Failures.sqlCause(e);
        return isMySql && sql != null && sql.getErrorCode() == DEADLOCK_IN_MYSQL;
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return here(store -> store.replace(record));
    }

    @Override
    public void replaceAll(List<MessageRecord> records) {
        here(store -> {
            store.replaceAll(records);
            return records.size();
        });
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        JointWrite result = here(store -> store.writeTogether(records));
        OpenTransaction transaction = transactions.current();
        if (transaction != null && result instanceof JointWrite.Overtaken && records.size() > 1) {
            transaction.spoil(); // some of the records may already be written in it
        }
        return result;
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        return here(store -> store.find(key));
    }

    /**
     * {@inheritDoc} For a missing record MySQL and MariaDB would lock the gap, and concurrent readers would block each other, so its
     * existence is checked first. That takes a separate connection: a plain read in the transaction would fix its snapshot, or use an older
     * one.
     */
    @Override
    public @Nullable MessageRecord findAndLock(RecordKey key) {
        if (transactions.current() == null) {
            throw new MisuseException(
                    MisuseException.NOT_RUNNING,
                    "Record %s cannot be locked: no transaction of this store is open on this thread to hold the lock. Use begin first."
                            .formatted(key.messageId()));
        }
        if (isMySql && alone.find(key) == null) {
            return find(key); // this transaction may have created it
        }
        return here(store -> store.findAndLock(key));
    }

    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        return alone.findCompleted(unchangedFor, limit);
    }

    @Override
    public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        return alone.findDue(from, until, limit);
    }

    @Override
    public List<MessageRecord> findListed(ListingQuery query) {
        return alone.findListed(query);
    }

    @Override
    public long countListed(String kind, String status) {
        return alone.countListed(kind, status);
    }

    @Override
    public List<DatedRecord> findCorrelated(String correlationId, int limit) {
        return alone.findCorrelated(correlationId, limit);
    }

    @Override
    public @Nullable StoredPage<MessageRecord> findAll(@Nullable String after, int limit) {
        return alone.findAll(after, limit);
    }

    @Override
    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        return alone.findCorrelationIds(messageId, limit, atMost);
    }

    @Override
    public int removeExpired(int limit) {
        return alone.removeExpired(limit);
    }

    /** Runs in the transaction that this store opened on the thread, or on its own if there is none. */
    private <T extends @Nullable Object> T here(Function<JdbcMessageStore, T> operation) {
        OpenTransaction transaction = transactions.current();
        if (transaction == null) {
            return operation.apply(alone);
        }
        try {
            T result = operation.apply(joined);
            transaction.use();
            return result;
        } catch (RecordTooLargeException e) {
            throw e; // noticed before a statement
        } catch (StoreUnavailableException | RecordRefusedException e) {
            transaction.spoil();
            throw e;
        }
    }
}
