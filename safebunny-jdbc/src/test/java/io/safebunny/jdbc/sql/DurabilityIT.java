// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Settings of real servers, as the application's connection sees them. */
class DurabilityIT {

    private static final JdbcTemplate POSTGRES = new JdbcTemplate(TestDatabase.POSTGRESQL.pool());

    @AfterAll
    static void reset() {
        POSTGRES.execute("drop role if exists careless");
        POSTGRES.execute("alter database postgres reset synchronous_commit");
    }

    private static List<String> warnings(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            return Durability.warnings(connection);
        }
    }

    private static void assertOne(List<String> warnings, String setting) {
        assertThat(warnings)
                .singleElement()
                .asString()
                .startsWith("SB-1421 The database may lose what it has committed [" + setting + "]: ");
    }

    @Test
    void defaultsAreSafe() throws Exception {
        assertThat(warnings(TestDatabase.POSTGRESQL.url())).isEmpty();
        assertThat(warnings(TestDatabase.MYSQL.url())).isEmpty();
        assertThat(warnings(TestDatabase.MARIADB.url())).isEmpty();
    }

    @Test
    void asynchronousCommitIsSeenWhereverItIsSet() throws Exception {
        String url = TestDatabase.POSTGRESQL.url();
        String setting = "synchronous_commit=off";
        assertOne(warnings(url + "&options=-c%20synchronous_commit=off"), setting);
        assertThat(warnings(url + "&options=-c%20synchronous_commit=local")).isEmpty();

        POSTGRES.execute("create role careless login password 'careless'"); // and no other right
        String careless = url.replaceAll("user=postgres&password=[^&]*", "user=careless&password=careless");
        assertThat(warnings(careless)).isEmpty();
        POSTGRES.execute("alter role careless set synchronous_commit = off");
        assertOne(warnings(careless), setting);
        assertThat(warnings(url)).isEmpty();

        POSTGRES.execute("alter database postgres set synchronous_commit = off");
        assertOne(warnings(url), setting);
        POSTGRES.execute("alter database postgres reset synchronous_commit");
    }

    @Test
    void aPostgresThatDoesNotWaitForTheDiskIsSeen() throws Exception {
        set("fsync", "off");
        set("full_page_writes", "off");
        try {
            assertThat(warnings(TestDatabase.POSTGRESQL.url()))
                    .hasSize(2)
                    .anySatisfy(warning -> assertThat(warning).contains("[fsync=off]"))
                    .anySatisfy(warning -> assertThat(warning).contains("[full_page_writes=off]"));
        } finally {
            set("fsync", "on");
            set("full_page_writes", "on");
        }
    }

    private static void set(String setting, String value) {
        POSTGRES.execute("alter system set %s = %s".formatted(setting, value));
        POSTGRES.execute("select pg_reload_conf()");
        Awaitility.await()
                .until(() -> value.equals(POSTGRES.queryForObject("select current_setting(?)", String.class, setting)));
    }

    @ParameterizedTest
    @EnumSource(names = {"MYSQL", "MARIADB"})
    void anInnoDbThatFlushesOnceASecondIsSeen(TestDatabase database) throws Exception {
        JdbcTemplate sql = new JdbcTemplate(database.pool());
        for (String careless : List.of("0", "2")) {
            sql.execute("set global innodb_flush_log_at_trx_commit = " + careless);
            try {
                assertOne(warnings(database.url()), "innodb_flush_log_at_trx_commit=" + careless);
            } finally {
                sql.execute("set global innodb_flush_log_at_trx_commit = 1");
            }
        }
    }

    @Test
    void aBinaryLogOfMySqlThatIsFlushedLaterIsSeen() throws Exception {
        JdbcTemplate sql = new JdbcTemplate(TestDatabase.MYSQL.pool());
        sql.execute("set global sync_binlog = 0");
        try {
            assertOne(warnings(TestDatabase.MYSQL.url()), "sync_binlog=0");
        } finally {
            sql.execute("set global sync_binlog = 1");
        }
    }
}
