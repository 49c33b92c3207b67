// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns about settings with which a database may lose commits, which would break SafeBunny's guarantees. They are read on a connection of
 * the application, so that settings of its role, database and URL count. Thread-safe.
 */
public final class Durability {

    private static final Logger LOG = LoggerFactory.getLogger(Durability.class);

    private static final int SECONDS = 5;

    private static final String MAY_LOSE = "SB-1421 The database may lose what it has committed [%s=%s]: ";

    private Durability() {}

    /**
     * Logs one warning for each setting that may lose commits, with the cause and the remedy. Never fails: settings that cannot
     * be read are skipped.
     */
    public static void warn(DataSource dataSource) {
        try (Connection connection = JdbcSchema.unwrap(dataSource).getConnection()) {
            warnings(connection).forEach(LOG::warn);
        } catch (SQLException | RuntimeException e) {
            LOG.debug("Cannot check whether the database keeps what it commits: its settings cannot be read", e);
        }
    }

    static List<String> warnings(Connection connection) throws SQLException {
        Dialect dialect = Database.of(connection.getMetaData()).dialect();
        return warnings(dialect, settings(connection, query(dialect)));
    }

    /** A query whose two columns are setting names and values. */
    private static String query(Dialect dialect) {
        return switch (dialect) {
            // lists the configured value and the effective one under the same name: warn about the larger
            case H2 ->
                "select 'write_delay', cast(max(cast(setting_value as integer)) as varchar(20)) from information_schema.settings where setting_name = 'WRITE_DELAY' and database_path() is not null";
            case POSTGRESQL ->
                "select name, setting from pg_settings where name in ('synchronous_commit', 'fsync', 'full_page_writes')";
            case MYSQL, MARIADB ->
                "show variables where variable_name in ('innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog')";
        };
    }

    private static Map<String, String> settings(Connection connection, String sql) throws SQLException {
        Map<String, String> settings = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(SECONDS);
            try (ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    String value = rows.getString(2);
                    if (value != null) {
                        settings.put(rows.getString(1).toLowerCase(Locale.ROOT), value.toLowerCase(Locale.ROOT));
                    }
                }
            }
        } finally {
            if (!connection.getAutoCommit()) {
                connection.rollback(); // not every pool ends the transaction that the query began
            }
        }
        return settings;
    }

    /** A setting that is missing counts as safe. */
    static List<String> warnings(Dialect dialect, Map<String, String> settings) {
        return switch (dialect) {
            case H2 -> ofH2(settings);
            case POSTGRESQL -> ofPostgres(settings);
            case MYSQL, MARIADB -> ofMySql(settings);
        };
    }

    private static List<String> ofH2(Map<String, String> settings) {
        String delay = settings.getOrDefault("write_delay", "0");
        return delay.equals("0")
                ? List.of()
                : List.of((MAY_LOSE
                                + "H2 writes commits to its file up to %s ms later. A kill or a crash of the process that has the file open (this one, unless you run an H2 server) loses the records, publications and rows of your own from that time, although messages were acknowledged and other systems were called. Append ;WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE to spring.datasource.url in every application that opens the file; SET WRITE_DELAY lasts only until the file is opened again.")
                        .formatted("WRITE_DELAY", delay, delay));
    }

    private static List<String> ofPostgres(Map<String, String> settings) {
        List<String> warnings = new ArrayList<>();
        if ("off".equals(settings.get("synchronous_commit"))) {
            warnings.add((MAY_LOSE
                            + "PostgreSQL writes commits a moment later. A crash of the database server or a power cut loses the commits of up to three times wal_writer_delay (0.6 s); a kill of the application loses nothing. Set synchronous_commit=on for the server, the database, the role and in the options of spring.datasource.url, wherever it is off now.")
                    .formatted("synchronous_commit", "off"));
        }
        if ("off".equals(settings.get("fsync"))) {
            warnings.add((MAY_LOSE
                            + "PostgreSQL does not wait for the disk. A power cut or a crash of the operating system may destroy the whole database; a kill of the application or of the database server loses nothing. Set fsync=on in postgresql.conf. (A cloud provider that keeps the log elsewhere may have it off on purpose.)")
                    .formatted("fsync", "off"));
        }
        if ("off".equals(settings.get("full_page_writes"))) {
            warnings.add((MAY_LOSE
                            + "pages left half written by a power cut or a crash of the operating system cannot be restored; a kill of the application or of the database server loses nothing. Set full_page_writes=on in postgresql.conf, unless the file system writes pages atomically, as ZFS does.")
                    .formatted("full_page_writes", "off"));
        }
        return warnings;
    }

    private static List<String> ofMySql(Map<String, String> settings) {
        List<String> warnings = new ArrayList<>();
        String flush = settings.getOrDefault("innodb_flush_log_at_trx_commit", "1");
        if (flush.equals("0") || flush.equals("2")) {
            String loses = flush.equals("0")
                    ? "A crash of the database server, a power cut or a crash of the operating system"
                    : "A power cut or a crash of the operating system";
            warnings.add((MAY_LOSE
                            + "InnoDB flushes its log only about once a second. %s loses the commits since the last flush; a kill of the application loses nothing. Set innodb_flush_log_at_trx_commit=1.")
                    .formatted("innodb_flush_log_at_trx_commit", flush, loses));
        }
        String binlog = settings.getOrDefault("sync_binlog", "1");
        if ("on".equals(settings.get("log_bin")) && !binlog.equals("1")) {
            warnings.add((MAY_LOSE
                            + "the binary log is not flushed with each commit, and after a power cut or a crash of the operating system commits that it lacks are rolled back; a kill of the application or of the database server loses nothing. Set sync_binlog=1.")
                    .formatted("sync_binlog", binlog));
        }
        return warnings;
    }
}
