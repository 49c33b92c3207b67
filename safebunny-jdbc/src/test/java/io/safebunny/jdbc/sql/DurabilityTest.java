// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class DurabilityTest {

    private static List<String> ofH2(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, "sa", "")) {
            return Durability.warnings(connection);
        }
    }

    @Test
    void h2InAFileLosesCommitsUnlessItWritesThemAtOnce(@TempDir Path folder) throws Exception {
        String url = "jdbc:h2:" + folder.resolve("file");
        assertThat(ofH2(url))
                .singleElement()
                .asString()
                .startsWith("SB-1421 The database may lose what it has committed [WRITE_DELAY=500]: ")
                .contains(
                        "A kill or a crash of the process",
                        "Append ;WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE to spring.datasource.url");
        assertThat(ofH2(url + ";WRITE_DELAY=0")).isEmpty();
        // H2 stores the setting, but ignores it
        assertThat(ofH2(url)).hasSize(1);
    }

    @Test
    void h2InMemoryPromisesNothingAnyhow() throws Exception {
        assertThat(ofH2("jdbc:h2:mem:durability")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void whatMayNotBeReadIsPassedOver(Dialect dialect) {
        assertThat(Durability.warnings(dialect, Map.of())).isEmpty();
    }

    @Test
    void aDatabaseThatDoesNotAnswerIsPassedOver(CapturedOutput output) {
        HikariDataSource closed = TestDatabase.H2.newPool(config -> {});
        closed.close();
        Durability.warn(closed);
        assertThat(output).doesNotContain("SB-1421");
    }

    @ParameterizedTest
    @CsvSource({"on", "local", "remote_write", "remote_apply"})
    void otherLevelsOfPostgresAreOnItsDisk(String level) {
        assertThat(Durability.warnings(
                        Dialect.POSTGRESQL,
                        Map.of("synchronous_commit", level, "fsync", "on", "full_page_writes", "on")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "1, off, 0, 0",
        "3, on, 1, 0",
        "0, on, 1, 1",
        "2, off, 0, 1",
        "1, on, 0, 1",
        "1, on, 100, 1",
        "2, on, 0, 2"
    })
    void theBinaryLogCountsWhereThereIsOne(String flush, String binlog, String sync, int warnings) {
        assertThat(Durability.warnings(
                        Dialect.MARIADB,
                        Map.of("innodb_flush_log_at_trx_commit", flush, "log_bin", binlog, "sync_binlog", sync)))
                .hasSize(warnings)
                .allSatisfy(
                        warning -> assertThat(warning).startsWith("SB-1421 ").contains("a kill of the application"));
    }
}
