// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.database.PostgresServer;
import java.time.Duration;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A database server that dies, freezes, or refuses the commit. */
@Timeout(120)
class FailingDatabaseIT {

    private static final JdbcStoreOptions OPTIONS =
            JdbcStoreOptions.of("shop", Duration.ofHours(1)).withTimeout(Duration.ofSeconds(1));

    @Test
    void whatWasAnsweredSurvivesAKillAndTheStoreComesBack() {
        try (PostgresServer server = PostgresServer.start();
                HikariDataSource pool = TestDatabase.impatientPool(server, 4)) {
            JdbcMessageStore store = new JdbcMessageStore(pool, OPTIONS);
            MessageRecord claim = store.create(Records.claim(Records.key(), "a"));
            store.replace(claim.next(RecordState.COMPLETED));
            server.kill();
            assertThatThrownBy(() -> store.find(claim.key()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(claim.key().messageId())
                    .hasMessageNotContaining("127.0.0.1");
            server.restart();
            Awaitility.await()
                    .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> Objects.requireNonNull(store.find(claim.key())).state() == RecordState.COMPLETED);
        }
    }

    @Test
    void whetherACommitTookPlaceIsUnknownWhenTheServerDiesMeanwhile() {
        try (PostgresServer server = PostgresServer.start();
                HikariDataSource pool = TestDatabase.impatientPool(server, 4)) {
            TransactionalJdbcMessageStore store =
                    new TransactionalJdbcMessageStore(pool, new JdbcTransactionManager(pool), OPTIONS);
            LocalTransaction transaction = store.begin();
            store.create(Records.claim(Records.key(), "a"));
            server.kill();
            assertThatThrownBy(transaction::commit)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("unknown");
            transaction.rollback();
            assertThatThrownBy(store::begin).isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void aFrozenServerDoesNotHoldTheThreadForEver() {
        try (PostgresServer server = PostgresServer.start();
                HikariDataSource pool = TestDatabase.impatientPool(server, 4)) {
            JdbcMessageStore store = new JdbcMessageStore(pool, OPTIONS);
            MessageRecord claim = store.create(Records.claim(Records.key(), "a"));
            server.pause();
            long start = System.nanoTime();
            assertThatThrownBy(() -> store.find(claim.key())).isInstanceOf(StoreUnavailableException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
            server.resume();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> store.find(claim.key()) != null);
        }
    }

    @Test
    void aConstraintThatIsCheckedAtTheCommitIsToldAsSuch() {
        JdbcTemplate sql = new JdbcTemplate(TestDatabase.POSTGRESQL.pool());
        sql.execute("create table if not exists unique_later (id int unique deferrable initially deferred)");
        TransactionalJdbcMessageStore store = new TransactionalJdbcMessageStore(
                TestDatabase.POSTGRESQL.pool(),
                new JdbcTransactionManager(TestDatabase.POSTGRESQL.pool()),
                JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)));
        MessageRecord claim = Records.claim(Records.key(), "a");
        LocalTransaction transaction = store.begin();
        store.create(claim);
        sql.update("insert into unique_later values (1), (1)");
        assertThatThrownBy(transaction::commit).isInstanceOf(DataIntegrityViolationException.class);
        assertThat(store.find(claim.key())).isNull();
    }
}
