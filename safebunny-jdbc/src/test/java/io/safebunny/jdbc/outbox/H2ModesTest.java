// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.TablePrefix;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** H2 can pretend to be another database: then either everything works, or the start is refused. */
class H2ModesTest {

    private final String name = UUID.randomUUID().toString();

    private HikariDataSource pool(String settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1" + settings);
        return new HikariDataSource(config);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";CASE_INSENSITIVE_IDENTIFIERS=TRUE",
                ";DATABASE_TO_UPPER=FALSE",
                ";MODE=LEGACY",
                ";MODE=MySQL;DATABASE_TO_LOWER=TRUE",
                ";MODE=MySQL;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
                ";MODE=MariaDB;DATABASE_TO_LOWER=TRUE",
                ";MODE=DB2",
                ";MODE=HSQLDB",
                ";MODE=PostgreSQL",
                ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
            })
    void everyStatementWorks(String mode) {
        try (HikariDataSource pool = pool(mode)) {
            TestDatabase.createTable(pool, TablePrefix.DEFAULT);
            String node = TestDatabase.newNode();
            JdbcMessageStore store = new JdbcMessageStore(pool, JdbcStoreOptions.of(node, Duration.ofHours(1)));
            MessageRecord claim = store.create(Records.claim(Records.key(), "a"));
            MessageRecord companion = store.create(Records.companion(claim.key().correlationId(), Instant.EPOCH));
            assertThat(store.replace(claim.next(RecordState.COMPLETED))).isNotNull();
            assertThat(store.findCompleted(Duration.ZERO, 10)).hasSize(1);
            assertThat(store.findDue(Instant.EPOCH, Instant.EPOCH, 10)).containsExactly(companion);
            assertThat(store.findListed(new ListingQuery("Order", "RUNNING", null, null, 10)))
                    .containsExactly(companion);
            assertThat(store.countListed("Order", "RUNNING")).isEqualTo(1);
            new JdbcTemplate(pool)
                    .update(
                            "update safebunny_message set state = 'DISPATCHED', changed_at = dateadd(day, -1, changed_at)");
            assertThat(store.removeExpired(10)).isEqualTo(1);

            try (OutboxUnderTest ended = new OutboxUnderTest(pool, node, new RecordingSender(), options -> options)) {
                ended.publishAndCommit("c", "1");
                ended.makeDue();
            }
            // what another instance left behind takes the relay
            try (OutboxUnderTest outbox =
                    new OutboxUnderTest(pool, node, new RecordingSender(), options -> options).started()) {
                Awaitility.await().until(() -> outbox.stored().isEmpty());
                outbox.outbox.stop();
                assertThat(outbox.sender.ids()).isEqualTo(List.of("1"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Derby", "MSSQLServer", "Oracle", "STRICT"})
    void whatDoesNotIsRefused(String mode) {
        pool("").close();
        try (HikariDataSource regular = pool("")) {
            TestDatabase.createTable(regular, TablePrefix.DEFAULT);
        }
        try (HikariDataSource pool = pool(";MODE=" + mode)) {
            assertRefused(pool, "SB-1426", "compatibility mode");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {";IGNORECASE=TRUE", ";COLLATION=ENGLISH STRENGTH PRIMARY"})
    void idsThatDifferInCaseAreNotOne(String settings) {
        try (HikariDataSource pool = pool(settings)) {
            TestDatabase.createTable(pool, TablePrefix.DEFAULT);

            assertRefused(pool, "SB-1425", "treats different ids as equal");
        }
    }

    private static void assertRefused(HikariDataSource pool, String code, String text) {
        String node = TestDatabase.newNode();
        assertThatThrownBy(() -> new JdbcMessageStore(pool, JdbcStoreOptions.of(node, Duration.ofHours(1))))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(code)
                .hasMessageContaining(text);
        assertThatThrownBy(() -> new OutboxUnderTest(pool, node, new RecordingSender(), options -> options))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(code);
    }
}
