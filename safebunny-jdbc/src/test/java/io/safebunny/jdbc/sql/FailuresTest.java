// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Failures of databases that the integration tests do not run on: a failure of one record must not look like an outage, nor the
 * other way round.
 */
class FailuresTest {

    @ParameterizedTest
    @CsvSource({
        "HY000, 1366, CONTENT", // MySQL: Incorrect string value
        "HY000, 1300, CONTENT", // MySQL: Invalid utf8mb4 character string
        "22007, 1366, CONTENT", // MariaDB
        "22P05, 0, CONTENT", // PostgreSQL: no equivalent in the database's encoding
        "22021, 0, CONTENT", // PostgreSQL: invalid byte sequence, as of U+0000
        "22001, 1406, CONTENT",
        "HY000, 1290, REFUSED", // MySQL: read-only
        "HY000, 1205, BUSY",
        "HY000, 3572, BUSY", // MySQL: NOWAIT
        "HY000, 3024, BUSY", // MySQL: max_execution_time
        "70100, 1969, BUSY", // MariaDB: max_statement_time
        "70100, 1317, BUSY", // MySQL and MariaDB: kill query
        "40000, 3101, BUSY", // MySQL: another member of the group has changed the row
        "40003, 0, CONNECTION", // whether it took effect is unknown
        "70100, 1927, CONNECTION", // MariaDB: kill
        "HY000, 4031, CONNECTION", // MySQL: idle for too long
        "25P03, 0, CONNECTION", // PostgreSQL: idle in a transaction for too long
        "53300, 0, CONNECTION", // PostgreSQL: too many connections
        "23505, 0, REFUSED"
    })
    void knowsWhatConcernsTheRecordAlone(String state, int code, Failures.Kind kind) {
        assertThat(Failures.kindOf(new SQLException("", state, code))).isEqualTo(kind);
    }

    /** As MySQL's driver throws them: without SQL state and error code, as pools throw theirs. */
    @Test
    void aTimeOutIsNoOutageThoughItHasNoState() {
        assertThat(Failures.kindOf(new SQLTimeoutException("cancelled"))).isEqualTo(Failures.Kind.BUSY);
        assertThat(Failures.kindOf(new SQLTransactionRollbackException("deadlock")))
                .isEqualTo(Failures.Kind.BUSY);
        assertThat(Failures.kindOf(new SQLFeatureNotSupportedException("not here")))
                .isEqualTo(Failures.Kind.REFUSED);
        assertThat(Failures.kindOf(new SQLTimeoutException("of a connection", "08001")))
                .isEqualTo(Failures.Kind.CONNECTION);
        assertThat(Failures.kindOf(new SQLException("the pool is exhausted"))).isEqualTo(Failures.Kind.CONNECTION);
    }
}
