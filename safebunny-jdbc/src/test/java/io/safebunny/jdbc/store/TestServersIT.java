// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.jdbc.fixture.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Other users of the machine cannot log in to the tests' database servers: whoever can may run programs as the user who started
 * them.
 */
class TestServersIT {

    private static final Pattern URL =
            Pattern.compile("(?<server>[^?]*:(?<port>\\d+)[^?]*)\\?user=(?<user>\\w+)(?:&password=(?<password>.+))?");
    private static final String LOOPBACK = "0100007F:";

    private final Matcher url = URL.matcher("");

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
    void letsNobodyInWithoutItsPassword(TestDatabase database) {
        parse(database);
        String user = url.group("server") + "?user=" + url.group("user");

        assertThatThrownBy(() -> DriverManager.getConnection(user).close()).isInstanceOf(SQLException.class);
        assertThatThrownBy(() ->
                        DriverManager.getConnection(user + "&password=guess").close())
                .isInstanceOf(SQLException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
    void listensOnLoopbackOnly(TestDatabase database) throws IOException {
        parse(database);
        String port = ":%04X".formatted(Integer.parseInt(url.group("port")));

        assertThat(listeners("/proc/net/tcp").filter(address -> address.endsWith(port)))
                .isNotEmpty()
                .allSatisfy(address -> assertThat(address).startsWith(LOOPBACK));
        assertThat(listeners("/proc/net/tcp6").filter(address -> address.endsWith(port)))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
    void keepsItsFilesToItself(TestDatabase database) throws Exception {
        Path folder = folder(database);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
    void tellsItsPasswordNeitherInItsLogNorAsAnArgument(TestDatabase database) throws Exception {
        Path folder = folder(database);
        String password = url.group("password");
        assertThat(password).hasSizeGreaterThan(20);

        assertThat(arguments()).noneMatch(line -> line.contains(password));
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                        .as(file.toString())
                        .doesNotContain(password);
            }
        }
    }

    private void parse(TestDatabase database) {
        assertThat(url.reset(database.url()).matches()).isTrue();
    }

    /** The server's folder, which contains its data. */
    private Path folder(TestDatabase database) throws SQLException {
        parse(database);
        String question = database == TestDatabase.POSTGRESQL ? "show data_directory" : "select @@datadir";
        try (Connection connection = DriverManager.getConnection(database.url());
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(question)) {
            assertThat(answer.next()).isTrue();
            return Objects.requireNonNull(Path.of(answer.getString(1)).getParent());
        }
    }

    private static Stream<String> listeners(String table) throws IOException {
        return Files.readAllLines(Path.of(table)).stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(columns -> columns[3].equals("0A"))
                .map(columns -> columns[1].toUpperCase(Locale.ROOT));
    }

    private static List<String> arguments() throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .filter(path -> path.getFileName().toString().matches("\\d+"))
                    .map(path -> read(path.resolve("cmdline")))
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException itEndedMeanwhile) {
            return "";
        }
    }
}
