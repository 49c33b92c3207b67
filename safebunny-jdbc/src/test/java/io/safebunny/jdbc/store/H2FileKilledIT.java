// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.TestDatabase;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What survives in an H2 file when the process that has it open is killed. */
@Timeout(60)
class H2FileKilledIT {

    private static final int RECORDS = 50;

    @TempDir
    private Path folder;

    /** @return how many records remain after the end of a process that had committed all of them */
    private long recordsLeft(String setting) throws Exception {
        String url = "jdbc:h2:" + folder.resolve("orders");
        try (HikariDataSource pool = H2FileWriter.pool(url)) {
            TestDatabase.createTable(pool, JdbcStoreOptions.DEFAULT_TABLE_PREFIX);
        }
        Process process = new ProcessBuilder(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        H2FileWriter.class.getName(),
                        url + setting,
                        Integer.toString(RECORDS)))
                .inheritIO()
                .start();
        assertThat(process.waitFor(40, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(H2FileWriter.HALTED);
        try (HikariDataSource pool = H2FileWriter.pool(url)) {
            JdbcMessageStore store = H2FileWriter.store(pool);
            return IntStream.range(0, RECORDS)
                    .filter(number -> store.find(H2FileWriter.key(number)) != null)
                    .count();
        }
    }

    @Test
    void withTheSettingOfTheGuideNothingIsLost() throws Exception {
        assertThat(recordsLeft(";WRITE_DELAY=0")).isEqualTo(RECORDS);
    }

    /** The reason for warning SB-1421. If this test fails, H2 has improved and the warning can go. */
    @Test
    void withTheDefaultOfH2WhatItHadCommittedIsLost() throws Exception {
        assertThat(recordsLeft("")).isLessThan(RECORDS);
    }
}
