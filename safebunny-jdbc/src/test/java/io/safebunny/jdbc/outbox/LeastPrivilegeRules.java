// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * The grants of the security guide are enough for store and outbox, and its statements for erasure delete everything about one
 * person.
 */
abstract class LeastPrivilegeRules {

    private static final Duration RETENTION = Duration.ofHours(1);

    private final String user = "sb" + UUID.randomUUID().toString().substring(0, 8);
    private final String password = UUID.randomUUID().toString();
    private final String node = TestDatabase.newNode();
    private HikariDataSource pool;

    abstract TestDatabase database();

    /** SQL that creates the user. */
    abstract String creation(String name, String secret);

    /** The user's name as it is written in a grant. */
    abstract String grantee(String name);

    abstract Dialect dialect();

    private JdbcTemplate administrator() {
        return new JdbcTemplate(database().pool());
    }

    @BeforeEach
    void createUser() {
        administrator().execute(creation(user, password));
        SecurityGuide.grants(dialect(), grantee(user)).forEach(administrator()::execute);
        pool = database().newPool(config -> {
            config.setJdbcUrl(config.getJdbcUrl().replaceAll("[?&](user|password)=[^&]*", ""));
            config.setUsername(user);
            config.setPassword(password);
        });
    }

    @AfterEach
    void close() {
        pool.close();
        administrator().update("delete from safebunny_message where node = ?", node);
        administrator().update("delete from safebunny_step where node = ?", node);
        administrator().update("delete from safebunny_companion where node = ?", node);
        administrator().update("delete from safebunny_outbox where node = ?", node);
    }

    @Test
    void theStoreNeedsNoMore() {
        JdbcMessageStore store = new JdbcMessageStore(pool, JdbcStoreOptions.of(node, RETENTION));
        MessageRecord record = Records.claim(Records.key(), "a");
        store.create(record);
        MessageRecord completed = record.completed(List.of(Records.message(new byte[] {1})));
        assertThat(store.replace(completed)).isNotNull();
        assertThat(store.findCompleted(Duration.ZERO, 10)).hasSize(1);
        store.replaceAll(List.of(completed.dispatched()));
        MessageRecord companion = store.create(Records.companion(record.key().correlationId(), Instant.EPOCH));
        assertThat(store.findDue(Instant.EPOCH, Instant.EPOCH, 10)).containsExactly(companion);
        assertThat(store.replace(companion.next(RecordState.DISPATCHED))).isNotNull();
        MessageRecord steps = store.create(Records.claim(record.key().companionApart("steps"), "a"));
        assertThat(store.replace(steps.next(RecordState.DISPATCHED))).isNotNull();
        database().age(RETENTION.plusMinutes(1));

        assertThat(store.removeExpired(10)).isEqualTo(3);
        assertThat(store.find(record.key())).isNull();
        assertThat(store.find(companion.key())).isNull();
        assertThat(store.find(steps.key())).isNull();
    }

    @Test
    void theTransactionalStoreNeedsNoMore() {
        TransactionalJdbcMessageStore store = new TransactionalJdbcMessageStore(
                pool, new JdbcTransactionManager(pool), JdbcStoreOptions.of(node, RETENTION), 8);
        MessageRecord record = Records.claim(Records.key(), "a");
        LocalTransaction transaction = store.begin();
        store.create(record);
        MessageRecord companion = store.create(Records.companion(record.key().correlationId(), Instant.EPOCH));
        assertThat(store.findAndLock(companion.key())).isEqualTo(companion);
        MessageRecord steps = Records.claim(record.key().companionApart("steps"), "a");
        assertThat(store.apart(() -> store.create(steps))).isEqualTo(steps);
        store.replace(record.next(RecordState.DISPATCHED));
        transaction.commit();

        MessageRecord stored = store.apart(() -> store.find(record.key()));
        assertThat(stored).isNotNull();
        assertThat(stored.state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void theOutboxNeedsNoMore() {
        try (OutboxUnderTest outbox =
                new OutboxUnderTest(pool, node, new RecordingSender(), options -> options).started()) {
            outbox.publishAndCommit("c", "1", "2");

            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> outbox.stored()
                    .isEmpty());
            assertThat(outbox.sender.ids()).containsExactly("1", "2");
        }
    }

    @Test
    void theUserMayChangeNoTable() {
        JdbcTemplate application = new JdbcTemplate(pool);
        assertThatThrownBy(() -> application.execute("drop table safebunny_outbox"))
                .isNotNull();
        assertThatThrownBy(() -> application.execute("alter table safebunny_message drop column owner"))
                .isNotNull();
    }

    @Test
    void whatIsErasedIsAllOfOneCorrelationAndNothingElse() {
        JdbcMessageStore store = new JdbcMessageStore(pool, JdbcStoreOptions.of(node, RETENTION));
        MessageRecord erased = store.create(Records.claim(Records.key(), "a"));
        MessageRecord kept = store.create(Records.claim(Records.key(), "a"));
        String correlation = erased.key().correlationId();
        MessageRecord companion = store.create(Records.companion(correlation, Instant.EPOCH));
        MessageRecord steps = store.create(Records.claim(erased.key().companionApart("steps"), "a"));
        // never started, so the rows stay
        try (OutboxUnderTest outbox = new OutboxUnderTest(pool, node, new RecordingSender(), options -> options)) {
            outbox.publishAndCommit(correlation, "1");
            outbox.publishAndCommit("other", "2");

            SecurityGuide.erasure(node, correlation).forEach(new JdbcTemplate(pool)::execute);

            assertThat(outbox.stored()).containsExactly("2");
        }
        assertThat(store.find(erased.key())).isNull();
        assertThat(store.find(companion.key())).isNull();
        assertThat(store.find(steps.key())).isNull();
        assertThat(store.find(kept.key())).isNotNull();
    }
}
