// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.cosmos.CosmosAsyncClient;
import io.safebunny.test.database.CosmosServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Nobody else on the machine gets into a private server: whoever does can have functions of his own run in it. */
class CosmosServerIT {

    private static CosmosServer server;

    @BeforeAll
    static void start() {
        server = CosmosServer.startPrivate();
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @Test
    void answersOnlyToItsOwnKey() {
        String guess = Base64.getEncoder().encodeToString("no secret".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> databases(guess)).hasMessageContaining("not signed with the key of this account");
        assertThat(databases(server.key())).isEmpty();
    }

    private static List<?> databases(String key) {
        try (CosmosAsyncClient client =
                CosmosAccount.builder(server.endpoint()).key(key).buildAsyncClient()) {
            return Objects.requireNonNull(
                    client.readAllDatabases().collectList().block());
        }
    }

    @Test
    void twoServersHaveTwoKeysAndTellThemToNobody() throws IOException {
        try (CosmosServer other = CosmosServer.startPrivate()) {
            assertThat(other.key()).isNotEqualTo(server.key());
        }
        assertThat(server.log()).doesNotContain(server.key());
        assertThat(arguments()).noneMatch(line -> line.contains(server.key()));
    }

    @Test
    void listensOnLoopbackOnly() throws IOException {
        String port = ":%04X".formatted(server.endpoint().getPort());

        assertThat(listeners("/proc/net/tcp").filter(address -> address.endsWith(port)))
                .containsExactly("0100007F" + port);
        assertThat(listeners("/proc/net/tcp6").filter(address -> address.endsWith(port)))
                .isEmpty();
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
