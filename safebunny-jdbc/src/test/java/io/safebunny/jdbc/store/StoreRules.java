// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Rules beyond the contract of all stores. */
abstract class StoreRules {

    private final JdbcStoreOptions options = JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1));

    abstract TestDatabase database();

    private JdbcMessageStore store() {
        return new JdbcMessageStore(database().pool(), options);
    }

    private JdbcTemplate sql() {
        return new JdbcTemplate(database().pool());
    }

    @Test
    void aRecordStaysWhenTheApplicationsTransactionIsRolledBack() {
        JdbcMessageStore store = store();
        MessageRecord record = Records.claim(Records.key(), "a");
        new TransactionTemplate(new JdbcTransactionManager(database().pool())).executeWithoutResult(status -> {
            store.create(record);
            store.replace(record.next(RecordState.COMPLETED));
            store.replaceAll(List.of(record.next(RecordState.COMPLETED).next(RecordState.DISPATCHED)));
            status.setRollbackOnly();
        });
        assertThat(found(store, record.key()).state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void aPoolWithoutAutoCommitMakesNoDifference() {
        try (HikariDataSource pool = database().newPool(config -> config.setAutoCommit(false))) {
            MessageRecord record = Records.claim(Records.key(), "a");
            JdbcMessageStore store = new JdbcMessageStore(pool, options);
            store.create(record);
            store.replaceAll(List.of(record.next(RecordState.POISONED)));
            assertThat(found(store(), record.key()).state()).isEqualTo(RecordState.POISONED);
        }
    }

    @Test
    void connectionsComeBackAsTheyWere() throws Exception {
        try (HikariDataSource pool = database().newPool(config -> config.setMaximumPoolSize(1))) {
            JdbcMessageStore store = new JdbcMessageStore(pool, options);
            int isolation;
            try (var connection = pool.getConnection()) {
                isolation = connection.getTransactionIsolation();
            }
            store.create(Records.claim(Records.key(), "a"));
            store.removeExpired(10);
            try (var connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isTrue();
                assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
                assertThat(connection.getNetworkTimeout()).isZero();
            }
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @Test
    void sixMebibytesFit() {
        JdbcMessageStore store = store();
        MessageRecord claim = store.create(Records.claim(Records.key(), "a"));
        byte[] body = new byte[4 * 1024 * 1024];
        Arrays.fill(body, (byte) 0xfe); // not text, so it is stored as Base64, which is a third longer
        MessageRecord completed = claim.withSteps(Map.of("grüße 🐇", "\"\\u0000世界\""))
                .next(RecordState.COMPLETED, List.of(Records.message(body)));
        assertThat(store.replace(completed)).isNotNull();
        MessageRecord found = found(store, claim.key());
        assertThat(found.outgoing().get(0).message().body()).isEqualTo(body);
        assertThat(found.steps()).isEqualTo(completed.steps());
    }

    @Test
    void idsOfTheLongestKindAndOfAllCharacters() {
        JdbcMessageStore store = store();
        String characters = "ABCxyz0189._:-";
        String longest = characters.repeat(10).substring(0, 128);
        for (String id : List.of(longest, characters, ".", "-")) {
            MessageRecord record = Records.claim(new RecordKey(id, id), "a");
            store.create(record);
            assertThat(found(store, record.key())).isEqualTo(record);
        }
    }

    @Test
    void upperAndLowerCaseAreDifferentMessages() {
        JdbcMessageStore store = store();
        store.create(Records.claim(new RecordKey("c", "m"), "a"));
        assertThat(store.create(Records.claim(new RecordKey("c", "M"), "b")).owner())
                .isEqualTo("b");
        assertThat(store.create(Records.claim(new RecordKey("C", "m"), "c")).owner())
                .isEqualTo("c");
        assertThat(store.find(new RecordKey("C", "M"))).isNull();
    }

    @Test
    void whatALaterVersionWroteIsRefusedAndPassedOver() {
        JdbcMessageStore store = store();
        MessageRecord record = store.create(Records.claim(Records.key(), "a")).next(RecordState.COMPLETED);
        store.replace(record);
        sql().update("update safebunny_message set format = 4 where node = ?", options.node());
        assertThatThrownBy(() -> store.find(record.key()))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("format 4");
        assertThatThrownBy(() -> store.create(record)).isInstanceOf(UnreadableRecordException.class);
        assertThat(store.findCompleted(Duration.ZERO, 10)).isEmpty();
        sql().update("update safebunny_message set format = 1, state = 'ARCHIVED' where node = ?", options.node());
        assertThatThrownBy(() -> store.find(record.key()))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("ARCHIVED");
    }

    @Test
    void companionsOfAPartitionAndStepsHaveTablesOfTheirOwn() {
        JdbcMessageStore store = store();
        MessageRecord message = Records.claim(Records.key(), "a");
        MessageRecord steps = Records.claim(message.key().companionApart("steps"), "a");
        MessageRecord saga = Records.companion(message.key().correlationId(), Instant.EPOCH);

        assertThat(store.writeTogether(List.of(message, steps, saga))).isInstanceOf(JointWrite.Written.class);

        assertThat(ids("safebunny_message")).containsExactly(message.key().messageId());
        assertThat(ids("safebunny_step")).containsExactly(steps.key().messageId());
        assertThat(found(store, steps.key())).isEqualTo(steps);
        assertThat(ids("safebunny_companion")).containsExactly("~saga");
        assertThat(found(store, saga.key())).isEqualTo(saga);
    }

    private List<String> ids(String table) {
        return sql().queryForList(
                        "select message_id from %s where node = ?".formatted(table), String.class, options.node());
    }

    @Test
    void companionsThatALaterVersionWroteAreLeftToItAndHideNoOthers() {
        JdbcMessageStore store = store();
        MessageRecord later = store.create(Records.companion("later", Instant.EPOCH));
        MessageRecord ours = store.create(Records.companion("ours", Instant.EPOCH.plusSeconds(1)));
        sql().update(
                        "update safebunny_companion set format = 4 where node = ? and correlation_id = 'later'",
                        options.node());

        assertThat(store.findDue(Instant.EPOCH, Instant.EPOCH.plusSeconds(9), 1))
                .containsExactly(ours);
        assertThat(store.findListed(new ListingQuery("Order", "RUNNING", null, null, 1)))
                .containsExactly(ours);
        assertThatThrownBy(() -> store.find(later.key())).isInstanceOf(UnreadableRecordException.class);

        sql().update(
                        "update safebunny_companion set format = 1, state = 'ARCHIVED' where node = ? and correlation_id = 'later'",
                        options.node());
        assertThat(store.findDue(Instant.EPOCH, Instant.EPOCH.plusSeconds(9), 10))
                .containsExactly(ours);
    }

    /** During a rolling upgrade the table already has the new column. */
    @Test
    void whatAnEarlierVersionWroteIsReadAndStaysReadableForIt() {
        JdbcMessageStore store = store();
        RecordKey key = Records.key();
        sql().update(
                        "insert into safebunny_message (node, correlation_id, message_id, state, owner, version, attempt, takeovers, lease_ms, fingerprint, format, changed_at) values (?, ?, ?, 'CLAIMED', 'before', 1, 0, 0, 30000, -4711, 1, current_timestamp)",
                        options.node(),
                        key.correlationId(),
                        key.messageId());
        MessageRecord record = found(store, key);
        assertThat(record.fingerprint()).isEqualTo(new Fingerprint(Fingerprint.CHECKSUMS, -4711, 0));
        store.replace(record.next(RecordState.RELEASED));
        assertThat(sql().queryForObject(
                                "select format from safebunny_message where node = ?", Integer.class, options.node()))
                .isEqualTo(1);
        assertThat(found(store, key).fingerprint()).isEqualTo(record.fingerprint());
    }

    @Test
    void twoCleanersAndTrafficDoNotWaitForEachOther() {
        JdbcMessageStore store = store();
        List<MessageRecord> records = IntStream.range(0, 20)
                .mapToObj(i -> store.create(Records.claim(Records.key(), "a")).next(RecordState.DISPATCHED))
                .toList();
        store.replaceAll(records);
        database().age(Duration.ofHours(2));
        new TransactionTemplate(new JdbcTransactionManager(database().pool())).executeWithoutResult(status -> {
            sql().update(
                            "update safebunny_message set attempt = 7 where node = ? and correlation_id = ? and message_id = ?",
                            options.node(),
                            records.get(3).key().correlationId(),
                            records.get(3).key().messageId());
            assertThat(store.removeExpired(1_000)).isEqualTo(19);
        });
        assertThat(store.removeExpired(1_000)).isEqualTo(1);
    }

    /** Whatever finds them, states and tables apart. */
    @Test
    void removesNoMoreThanTheLimitOfAllStatesTogether() {
        JdbcMessageStore store = store();
        for (RecordState state : List.of(RecordState.DISPATCHED, RecordState.UNDONE, RecordState.POISONED)) {
            for (int i = 0; i < 2; i++) {
                assertThat(store.replace(
                                store.create(Records.claim(Records.key(), "a")).next(state)))
                        .isNotNull();
            }
        }
        database().age(Duration.ofDays(91));

        assertThat(store.removeExpired(3)).isEqualTo(3);
        assertThat(store.removeExpired(2)).isEqualTo(2);
        assertThat(store.removeExpired(2)).isEqualTo(1);
    }

    @Test
    void anotherPrefixIsAnotherTable() {
        HikariDataSource pool = database().pool();
        TestDatabase.createTable(pool, "other_");
        TestDatabase.createTable(pool, "other_"); // a repeat is harmless
        JdbcMessageStore other = new JdbcMessageStore(pool, options.withTablePrefix("other_"));
        MessageRecord record = other.create(Records.claim(Records.key(), "a"));
        assertThat(found(other, record.key())).isEqualTo(record);
        assertThat(store().find(record.key())).isNull();
    }

    @Test
    void aPrefixMayNameASchema() {
        HikariDataSource pool = database().pool();
        sql().execute("create schema if not exists messaging");
        TestDatabase.createTable(pool, "messaging.safebunny_");
        JdbcMessageStore other = new JdbcMessageStore(pool, options.withTablePrefix("messaging.safebunny_"));
        MessageRecord record = other.create(Records.claim(Records.key(), "a"));
        assertThat(found(other, record.key())).isEqualTo(record);
        assertThat(store().find(record.key())).isNull();
    }

    @Test
    void aMissingTableIsToldAtStart() {
        assertThatThrownBy(() -> new JdbcMessageStore(database().pool(), options.withTablePrefix("absent_")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SB-1402 Table absent_message is missing")
                .hasMessageContaining("schema-" + database().name().toLowerCase(Locale.ROOT) + ".sql")
                .hasMessageContaining("safebunny.store.jdbc.initialize-schema=always");
    }

    @Test
    void aTableOfAnEarlierSnapshotIsAlteredAsTheChangelogSays() throws IOException {
        HikariDataSource pool = database().pool();
        JdbcStoreOptions before = options.withTablePrefix("before_");
        TestDatabase.createTable(pool, "before_");
        sql().execute("alter table before_message drop column fingerprint_low");
        RecordKey key = Records.key();
        insertAsBefore(key);
        assertThatThrownBy(() -> new JdbcMessageStore(pool, before))
                .hasMessageContaining("SB-1402")
                .hasMessageContaining("alter it as the changelog says");

        Matcher statement = Pattern.compile("`(alter table safebunny_message add column [^`]+)`")
                .matcher(Files.readString(Path.of("../CHANGELOG.md")));
        assertThat(statement.find()).isTrue();
        sql().execute(statement.group(1).replace("safebunny_", "before_"));

        JdbcMessageStore store = new JdbcMessageStore(pool, before);
        MessageRecord record = found(store, key);
        assertThat(record.fingerprint()).isEqualTo(new Fingerprint(Fingerprint.CHECKSUMS, -4711, 0));
        assertThat(store.replace(record.next(RecordState.POISONED))).isNotNull();
        RecordKey another = Records.key();
        insertAsBefore(another); // by an instance of the old version that is still running
        assertThat(found(store, another).fingerprint()).isEqualTo(record.fingerprint());
        MessageRecord fresh = Records.claim(Records.key(), "a");
        assertThat(store.create(fresh)).isEqualTo(fresh);
    }

    @Test
    void tablesOfBeforeCompanionsAreUpgradedAsTheChangelogSays() throws IOException {
        HikariDataSource pool = database().pool();
        boolean partialIndexes = database() == TestDatabase.POSTGRESQL;
        JdbcStoreOptions earlier = options.withTablePrefix("earlier_");
        TestDatabase.createTable(pool, "earlier_");
        sql().execute("drop table earlier_companion");
        if (partialIndexes) {
            sql().execute("drop index earlier_message_ended");
            sql().execute(
                            "create index earlier_message_final on earlier_message (node, changed_at) where state in ('DISPATCHED', 'POISONED')");
        }
        assertThatThrownBy(() -> new JdbcMessageStore(pool, earlier))
                .hasMessageContaining("SB-1402 Table earlier_companion is missing");

        List<String> statements = Pattern.compile("`((?:create|drop) index [^`]*safebunny_message[^`]*)`")
                .matcher(Files.readString(Path.of("../CHANGELOG.md")))
                .results()
                .map(found -> found.group(1).replace("safebunny_", "earlier_"))
                .toList();
        assertThat(statements).hasSize(3);
        if (partialIndexes) {
            sql().execute("drop index earlier_message_poisoned");
            statements.subList(0, 2).forEach(sql()::execute);
        }
        TestDatabase.createTable(pool, "earlier_"); // the script, once more
        if (partialIndexes) {
            sql().execute(statements.get(2));
            assertThat(sql().queryForList(
                                    "select indexname from pg_indexes where tablename = 'earlier_message'",
                                    String.class))
                    .containsExactlyInAnyOrder(
                            "earlier_message_pkey",
                            "earlier_message_completed",
                            "earlier_message_ended",
                            "earlier_message_poisoned");
        }
        JdbcMessageStore store = new JdbcMessageStore(pool, earlier);
        MessageRecord companion = store.create(Records.companion("c", Instant.EPOCH));
        assertThat(store.findDue(Instant.EPOCH, Instant.EPOCH, 10)).containsExactly(companion);
    }

    private void insertAsBefore(RecordKey key) {
        sql().update(
                        "insert into before_message (node, correlation_id, message_id, state, owner, version, attempt, takeovers, lease_ms, fingerprint, format, changed_at)"
                                + " values (?, ?, ?, 'RELEASED', 'b', 2, 1, 0, 30000, -4711, 1, current_timestamp)",
                        options.node(),
                        key.correlationId(),
                        key.messageId());
    }

    @Test
    void anExhaustedPoolIsAnUnavailableStore() throws Exception {
        try (HikariDataSource pool = database().newPool(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionTimeout(250);
        })) {
            JdbcMessageStore store = new JdbcMessageStore(pool, options);
            RecordKey key = Records.key();
            try (var held = pool.getConnection()) {
                assertThat(held.isClosed()).isFalse();
                assertThatThrownBy(() -> store.find(key))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining(key.messageId())
                        .hasMessageNotContaining("jdbc:");
            }
            assertThat(store.find(key)).isNull();
        }
    }

    static void refusesOneRecordForItsCharacters(JdbcMessageStore store) {
        MessageRecord claim = store.create(Records.claim(Records.key(), "a"));
        byte[] body = "{\"name\":\"🐇\"}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> store.replace(claim.completed(List.of(Records.message(body)))))
                .isInstanceOf(RecordRefusedException.class)
                .hasMessageContaining("SB-4004")
                .hasMessageNotContaining("🐇");
        assertThatThrownBy(() -> store.replace(claim.next(RecordState.CLAIMED).withSteps(Map.of("charge 🐇", "1"))))
                .isInstanceOf(RecordRefusedException.class);
        Trail trail = Trail.of("Order")
                .with(List.of(new Trail.Failure(Instant.EPOCH, "🐇", 1, "java.io.IOException", "größe 世界 🐇", null)));
        assertThat(store.replace(claim.next(RecordState.POISONED).withTrail(trail)))
                .as("and it can be set aside, with its failures")
                .isNotNull();
        assertThat(found(store, claim.key()).trail()).isEqualTo(trail);
    }

    private static MessageRecord found(JdbcMessageStore store, RecordKey key) {
        return Objects.requireNonNull(store.find(key));
    }
}
