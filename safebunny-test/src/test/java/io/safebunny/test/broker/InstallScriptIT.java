// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code bin/broker} installs is run, as root: it comes from Debian or not at all. */
@Timeout(180)
class InstallScriptIT {

    private static final String SERIES = "4.0";
    private static final String SUITE = "trixie";

    @TempDir
    Path folder;

    @Test
    void runsNothingFromAFolderToWhichOthersMayWrite() throws Exception {
        Path cache = Files.createDirectory(folder.resolve("shared"));
        Path lookalike = cache.resolve("rabbitmq-" + SERIES);
        Path server = lookalike.resolve(ServerRoot.SERVER);
        Files.createDirectories(Objects.requireNonNull(server.getParent()));
        Files.createFile(server);
        Files.createDirectories(lookalike.resolve("usr/lib/rabbitmq/lib/rabbitmq_server-" + SERIES + ".0"));
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));

        String output = failedInstall(cache, "http://127.0.0.1:9/");

        assertThat(output).contains("others may write to the cache folder " + cache);
    }

    @Test
    void unpacksNothingThatIsNotSigned() throws Exception {
        assumeThat(Stream.of("/usr/sbin/debootstrap", "/usr/bin/gpgv", "/usr/bin/unshare"))
                .as("needs root and debootstrap")
                .allMatch(program -> Files.exists(Path.of(program)));
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        HttpServer mirror = mirror("Origin: Debian\nCodename: " + SUITE + "\nComponents: main\n");
        try {
            Path cache = Files.createDirectory(
                    folder.resolve("cache"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));

            String output = failedInstall(
                    cache, "http://127.0.0.1:" + mirror.getAddress().getPort() + "/");

            assertThat(output).contains("the signature of Debian " + SUITE).contains("could not be checked");
            try (Stream<Path> left = Files.list(cache)) {
                assertThat(left.filter(Files::isDirectory)).isEmpty();
            }
        } finally {
            mirror.stop(0);
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

    private static String failedInstall(Path cache, String mirror) throws Exception {
        ProcessBuilder script =
                new ProcessBuilder("bash", "../bin/broker", "install", SERIES).redirectErrorStream(true);
        script.environment().put("SAFEBUNNY_CACHE", cache.toString());
        script.environment().put("SAFEBUNNY_DEBIAN_MIRROR", mirror);
        Process process = script.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isNotZero();
        return output;
    }
}
