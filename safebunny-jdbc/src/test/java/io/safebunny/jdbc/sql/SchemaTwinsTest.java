// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SchemaTwinsTest {

    /** Two files, because each is found by the name of its database, and copied as it is. */
    @Test
    void theScriptsOfMariaDbAndMySqlDifferOnlyInTheNameOfTheDatabase() throws IOException {
        List<String> mariaDb = lines(Dialect.MARIADB);
        List<String> mySql = lines(Dialect.MYSQL);

        assertThat(mariaDb.get(0)).contains("MariaDB");
        assertThat(mySql.get(0)).contains("MySQL");
        assertThat(mariaDb.subList(1, mariaDb.size())).isEqualTo(mySql.subList(1, mySql.size()));
    }

    /** What is promised for both is tried on both. */
    @Test
    void eachSuiteOfMariaDbHasOneOfMySql() throws IOException {
        List<String> ofMySql = suites("MySql");

        assertThat(ofMySql).hasSizeGreaterThan(10).isEqualTo(suites("MariaDb"));
    }

    /** Without the database's name. */
    private static List<String> suites(String database) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(database))
                    .map(name -> name.substring(database.length()))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> lines(Dialect dialect) throws IOException {
        try (InputStream script =
                Objects.requireNonNull(Dialect.class.getClassLoader().getResourceAsStream(dialect.script()))) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }
}
