// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Claim, the handler's writes and completion in one transaction. */
@Timeout(60)
abstract class TransactionRules {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String node = TestDatabase.newNode();

    @SuppressWarnings("NullAway.Init")
    private TransactionalJdbcMessageStore store;

    @SuppressWarnings("NullAway.Init")
    private JdbcMessageStore onlooker;

    @SuppressWarnings("NullAway.Init")
    private JdbcTemplate sql;

    abstract TestDatabase database();

    private TransactionalJdbcMessageStore store(Duration timeout) {
        return new TransactionalJdbcMessageStore(
                database().pool(),
                new JdbcTransactionManager(database().pool()),
                JdbcStoreOptions.of(node, Duration.ofHours(1)).withTimeout(timeout));
    }

    @BeforeEach
    void open() {
        store = store(Duration.ofSeconds(15));
        onlooker = new JdbcMessageStore(database().anotherPool(), JdbcStoreOptions.of(node, Duration.ofHours(1)));
        sql = new JdbcTemplate(database().pool());
        sql.execute("create table if not exists business (id varchar(100) primary key)");
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        Awaitility.await().until(() -> database().pool().getHikariPoolMXBean().getActiveConnections() == 0);
    }

    private void insertBusiness(RecordKey key) {
        sql.update("insert into business values (?)", key.messageId());
    }

    private boolean hasBusiness(RecordKey key) {
        return !new JdbcTemplate(database().anotherPool())
                .queryForList("select id from business where id = ?", key.messageId())
                .isEmpty();
    }

    @Test
    void allBecomesVisibleAtTheCommitAndNothingBefore() {
        RecordKey key = Records.key();
        LocalTransaction transaction = store.begin();
        MessageRecord claim = store.create(Records.claim(key, "a"));
        insertBusiness(key);
        store.replace(claim.next(RecordState.COMPLETED));
        assertThat(Objects.requireNonNull(store.find(key)).state()).isEqualTo(RecordState.COMPLETED);
        assertThat(onlooker.find(key)).isNull();
        assertThat(hasBusiness(key)).isFalse();
        transaction.commit();
        assertThat(Objects.requireNonNull(onlooker.find(key)).state()).isEqualTo(RecordState.COMPLETED);
        assertThat(hasBusiness(key)).isTrue();
    }

    @Test
    void aRollbackUndoesAll() {
        RecordKey key = Records.key();
        LocalTransaction transaction = store.begin();
        store.create(Records.claim(key, "a"));
        insertBusiness(key);
        transaction.rollback();
        transaction.rollback(); // harmless
        assertThat(onlooker.find(key)).isNull();
        assertThat(hasBusiness(key)).isFalse();
    }

    /** What a transaction reads repeatedly stays as it was at its first read, and says nothing about who has changed it since. */
    @Test
    void aLockFindsWhatWasCommittedAfterTheTransactionsFirstRead() throws Exception {
        RecordKey first = Records.key();
        MessageRecord old = onlooker.create(Records.companion(first.correlationId(), Instant.EPOCH));
        LocalTransaction transaction = store.begin();
        assertThat(store.find(first)).isNull();
        assertThat(sql.queryForList("select id from business where id = 'any'")).isEmpty();
        MessageRecord changed = Objects.requireNonNull(onlooker.replace(old.next(RecordState.RELEASED)));
        MessageRecord created = onlooker.create(Records.companion(Records.key().correlationId(), Instant.EPOCH));

        assertThat(store.findAndLock(changed.key())).isEqualTo(changed);
        assertThat(store.findAndLock(created.key())).isEqualTo(created);
        transaction.rollback();
    }

    @Test
    void whatIsDoneApartStays() {
        RecordKey key = Records.key();
        RecordKey other = Records.key();
        LocalTransaction transaction = store.begin();
        store.create(Records.claim(key, "a"));
        assertThat(store.apart(() -> store.create(Records.claim(other, "b"))).owner())
                .isEqualTo("b");
        assertThat(onlooker.find(other)).isNotNull();
        assertThat(store.find(key)).isNotNull();
        transaction.rollback();
        assertThat(onlooker.find(key)).isNull();
        assertThat(onlooker.find(other)).isNotNull();
    }

    @Test
    void whatFailsApartIsUndoneAlone() {
        RecordKey key = Records.key();
        RecordKey other = Records.key();
        LocalTransaction transaction = store.begin();
        store.create(Records.claim(key, "a"));
        assertThatThrownBy(() -> store.apart(() -> {
                    store.create(Records.claim(other, "b"));
                    throw new ArithmeticException();
                }))
                .isInstanceOf(ArithmeticException.class);
        transaction.commit();
        assertThat(onlooker.find(key)).isNotNull();
        assertThat(onlooker.find(other)).isNull();
    }

    @Test
    void aThreadHasOneTransaction() {
        LocalTransaction transaction = store.begin();
        assertThatThrownBy(() -> store.begin()).isInstanceOf(MisuseException.class);
        transaction.rollback();
        new TransactionTemplate(new JdbcTransactionManager(database().pool()))
                .executeWithoutResult(
                        status -> assertThatThrownBy(() -> store.begin()).isInstanceOf(MisuseException.class));
    }

    @Test
    void outsideATransactionOfTheStoreEachOperationStandsAlone() {
        RecordKey key = Records.key();
        new TransactionTemplate(new JdbcTransactionManager(database().pool())).executeWithoutResult(status -> {
            store.create(Records.claim(key, "a"));
            status.setRollbackOnly();
        });
        assertThat(onlooker.find(key)).isNotNull();
    }

    @Test
    void aSecondDeliveryWaitsForTheCommitAndSeesIt() throws Exception {
        RecordKey key = Records.key();
        LocalTransaction transaction = store.begin();
        MessageRecord claim = store.create(Records.claim(key, "a"));
        Future<MessageRecord> second = threads.submit(() -> inTransaction(key, "b"));
        awaitWaiting(second);
        store.replace(claim.next(RecordState.COMPLETED));
        transaction.commit();
        assertThat(second.get(15, TimeUnit.SECONDS).state()).isEqualTo(RecordState.COMPLETED);
    }

    @Test
    void ofThoseThatWaitOneGoesOnAfterARollback() throws Exception {
        RecordKey key = Records.key();
        LocalTransaction transaction = store.begin();
        store.create(Records.claim(key, "a"));
        List<Future<MessageRecord>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String owner = "b" + i;
            waiting.add(threads.submit(() -> inTransaction(key, owner)));
        }
        for (Future<MessageRecord> each : waiting) {
            awaitWaiting(each);
        }
        transaction.rollback();
        List<String> owners = new ArrayList<>();
        for (Future<MessageRecord> each : waiting) {
            owners.add(each.get(15, TimeUnit.SECONDS).owner());
        }
        assertThat(owners).allMatch(owner -> owner.startsWith("b")).containsOnly(owners.get(0));
    }

    /** Claims as a second delivery would, and commits the claim. */
    private MessageRecord inTransaction(RecordKey key, String owner) {
        LocalTransaction transaction = store.begin();
        try {
            MessageRecord stored = store.create(Records.claim(key, owner));
            transaction.commit();
            return stored;
        } finally {
            transaction.rollback();
        }
    }

    /** A waiting statement can only be recognised by its connection being in use while its result is missing. */
    private void awaitWaiting(Future<?> future) {
        Awaitility.await()
                .during(Duration.ofMillis(300))
                .atMost(Duration.ofSeconds(5))
                .until(() -> !future.isDone());
    }

    @Test
    void waitingIsBounded() {
        RecordKey key = Records.key();
        LocalTransaction transaction = store.begin();
        store.create(Records.claim(key, "a"));
        TransactionalJdbcMessageStore impatient = store(Duration.ofSeconds(1));
        Future<?> second = threads.submit(() -> {
            LocalTransaction other = impatient.begin();
            try {
                assertThatThrownBy(() -> impatient.create(Records.claim(key, "b")))
                        .isInstanceOfSatisfying(StoreUnavailableException.class, e -> assertThat(e.retryAfter())
                                .isPositive())
                        .hasMessageContaining(key.messageId());
                // committing would commit a part
                assertThatThrownBy(other::commit).isInstanceOf(UnexpectedRollbackException.class);
            } finally {
                other.rollback();
            }
        });
        assertThat(second).succeedsWithin(Duration.ofSeconds(10));
        transaction.commit();
        assertThat(Objects.requireNonNull(onlooker.find(key)).owner()).isEqualTo("a");
    }

    @Test
    void aWriteOutsideWaitsNoLongerEither() {
        RecordKey key = Records.key();
        LocalTransaction transaction = store.begin();
        store.create(Records.claim(key, "a"));
        TransactionalJdbcMessageStore impatient = store(Duration.ofSeconds(1));
        Future<?> second = threads.submit(() -> assertThatThrownBy(() -> impatient.create(Records.claim(key, "b")))
                .isInstanceOf(StoreUnavailableException.class));
        assertThat(second).succeedsWithin(Duration.ofSeconds(10));
        transaction.rollback();
    }

    @Test
    void whatTheApplicationMarkedIsRolledBackAndSaysSo() {
        RecordKey key = Records.key();
        LocalTransaction transaction = store.begin();
        store.create(Records.claim(key, "a"));
        TransactionTemplate handler =
                new TransactionTemplate(new JdbcTransactionManager(database().pool()));
        handler.executeWithoutResult(status -> status.setRollbackOnly());
        assertThatThrownBy(transaction::commit).isInstanceOf(UnexpectedRollbackException.class);
        assertThat(onlooker.find(key)).isNull();
    }

    @Test
    void whatFailsAfterTheCommitDoesNotUndoIt() {
        RecordKey key = Records.key();
        LocalTransaction transaction = store.begin();
        store.create(Records.claim(key, "a"));
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                throw new ArithmeticException("too late");
            }
        });
        transaction.commit();
        assertThat(onlooker.find(key)).isNotNull();
    }

    @Test
    void aManagerOfAnotherDatabaseIsRefused() {
        assertThatThrownBy(() -> new TransactionalJdbcMessageStore(
                        database().pool(),
                        new JdbcTransactionManager(database().anotherPool()),
                        JdbcStoreOptions.of(node, Duration.ofHours(1))))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SB-1405");
    }
}
