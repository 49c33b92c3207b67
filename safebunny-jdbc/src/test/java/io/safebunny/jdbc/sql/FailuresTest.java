// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
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
        "23505, 0, REFUSED"
    })
    void knowsWhatConcernsTheRecordAlone(String state, int code, Failures.Kind kind) {
        assertThat(Failures.kindOf(new SQLException("", state, code))).isEqualTo(kind);
    }
}
