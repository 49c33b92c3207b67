// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nobody else gets into a node: who knows the cookie and reaches the port of its distribution may do all that its user may. */
@Timeout(180)
class NodeIsolationIT {

    private static RabbitNode node;

    @BeforeAll
    static void start() {
        InstalledServer.assume();
        node = RabbitNode.start();
    }

    @AfterAll
    static void close() {
        if (node != null) {
            node.close();
        }
    }

    @Test
    void eachNodeHasACookieOfItsOwn() throws IOException {
        try (RabbitNode other = RabbitNode.start()) {
            assertThat(cookie(other)).hasSizeGreaterThan(20).isNotEqualTo(cookie(node));
        }
        assertThat(arguments()).isNotEmpty().noneMatch(line -> line.contains(cookie(node)));
    }

    @Test
    void itsUserHasAPasswordThatNobodyElseKnows() throws IOException {
        URI own = node.broker().uri();
        URI wellKnown =
                URI.create("amqp://guest:guest@127.0.0.1:" + node.broker().port());

        assertThat(Amqp.answers(own)).isTrue();
        assertThat(Amqp.answers(wellKnown)).isFalse();
        assertThat(arguments()).noneMatch(line -> line.contains(node.broker().password()));
    }

    @Test
    void theFolderIsTheUsersAlone() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(node.folder())))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(node.folder().resolve(".erlang.cookie"))))
                .isEqualTo("r--------");
        assertThat(Files.readString(node.log())).doesNotContain(cookie(node));
    }

    /** The server, the port mapper, and the tool, which is a node of its own while it runs. */
    @Test
    void everythingListensOnLoopbackOnly() throws IOException {
        Set<String> servers = listeners();
        assertThat(servers).hasSizeGreaterThanOrEqualTo(4); // AMQP, management, distribution, port mapper

        CompletableFuture<String> tool =
                CompletableFuture.supplyAsync(() -> node.control("eval", "timer:sleep(4000), done."));
        // some versions of it listen and some do not
        await().pollInterval(Duration.ofMillis(50))
                .atMost(Duration.ofSeconds(60))
                .until(() -> tool.isDone() || !servers.containsAll(listeners()));
        Set<String> all = listeners();
        tool.join();

        assertThat(Stream.concat(servers.stream(), all.stream())).allSatisfy(address -> assertThat(address)
                .matches("(0100007F|00000000000000000000000001000000):.*")); // of IPv4 or IPv6
    }

    /** Local address and port in hexadecimal of every socket on which a process of the node listens. */
    private static Set<String> listeners() throws IOException {
        Set<String> sockets;
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            sockets = processes
                    .filter(path -> path.getFileName().toString().matches("\\d+"))
                    .filter(path -> read(path.resolve("environ")).contains(node.name()))
                    .flatMap(NodeIsolationIT::sockets)
                    .collect(Collectors.toSet());
        }
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .flatMap(table -> read(Path.of(table)).lines())
                .map(line -> line.strip().split("\\s+"))
                .filter(columns -> columns[3].equals("0A") && sockets.contains("socket:[" + columns[9] + "]"))
                .map(columns -> columns[1].toUpperCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    private static Stream<String> sockets(Path process) {
        try (Stream<Path> files = Files.list(process.resolve("fd"))) {
            return files.map(NodeIsolationIT::target).toList().stream();
        } catch (IOException itEndedMeanwhile) {
            return Stream.empty();
        }
    }

    private static String target(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException itWasClosedMeanwhile) {
            return "";
        }
    }

    private static String cookie(RabbitNode of) {
        return read(of.folder().resolve(".erlang.cookie"));
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
