// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;

/** Tables are created as far as they are missing, while others use them. */
@Timeout(60)
abstract class SchemaCreationRules {

    final ExecutorService threads = Executors.newCachedThreadPool();
    final String prefix = "sb" + UUID.randomUUID().toString().substring(0, 8) + "_";
    final JdbcTemplate sql = new JdbcTemplate(database().pool());

    abstract TestDatabase database();

    @AfterEach
    void close() {
        threads.shutdownNow();
        for (String table : List.of("message", "step", "companion", "outbox", "subject_key", "body_part", "body")) {
            sql.execute("drop table if exists " + prefix + table);
        }
    }

    final JdbcSchema schema() {
        return JdbcSchema.of(database().pool(), prefix);
    }

    final void create() {
        SchemaCreation.run(database().pool(), schema());
    }

    /** A transaction that has written to the table and stays open. */
    final Connection using(String table) throws Exception {
        Connection connection = database().anotherPool().getConnection();
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            int deleted = statement.executeUpdate("delete from " + prefix + table);
            assertThat(deleted).isZero();
        }
        return connection;
    }

    final void end(Connection connection) throws Exception {
        connection.rollback();
        connection.setAutoCommit(true);
        connection.close();
    }

    @Test
    void nobodyIsWaitedForWhenNothingIsMissing() throws Exception {
        create();
        List<Connection> open = new ArrayList<>();
        for (String table : List.of("message", "step", "companion", "outbox", "subject_key", "body", "body_part")) {
            open.add(using(table));
        }
        try {
            threads.submit(this::create).get(10, TimeUnit.SECONDS);
        } finally {
            for (Connection connection : open) {
                end(connection);
            }
        }
    }

    /** Of an installation that is older than the index. */
    @Test
    void anIndexThatATableLacksIsCreated() {
        create();
        String index = prefix + dueIndex();
        sql.execute(dropIndex(index, prefix + "outbox"));
        assertThat(indexes(index)).isZero();

        create();

        assertThat(indexes(index)).isEqualTo(1);
    }

    String dueIndex() {
        return "outbox_due";
    }

    String dropIndex(String index, String table) {
        return "drop index " + index;
    }

    /** How many indexes there are of this name. */
    private int indexes(String index) {
        List<String> found = new ArrayList<>();
        sql.execute((Connection connection) -> {
            boolean isUpper = connection.getMetaData().storesUpperCaseIdentifiers();
            String table = prefix + "outbox";
            try (var rows = connection
                    .getMetaData()
                    .getIndexInfo(
                            connection.getCatalog(),
                            null,
                            isUpper ? table.toUpperCase(Locale.ROOT) : table,
                            false,
                            true)) {
                while (rows.next()) {
                    found.add(String.valueOf(rows.getString("INDEX_NAME")));
                }
            }
            return true;
        });
        return (int) found.stream().filter(index::equalsIgnoreCase).distinct().count();
    }

    @Test
    void whatTheDatabaseRefusesIsToldWithTheReason() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> SchemaCreation.run(
                        database().pool(), JdbcSchema.of(database().pool(), "nowhere.sb_")))
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1423"))
                .withMessageContaining("nowhere.sb_message");
    }
}
