// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code bin/demo --chaos --dashboard} as a newcomer starts it: in a process of its own, without a broker, and seen at the address that it prints. */
@Tag("once")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class DashboardIT {

    private static final Path JAR = Path.of("target", "demo.jar");
    private static final Pattern PAGE = Pattern.compile("(?m)^page: (http://localhost:\\d+/actuator/)safebunnyui$");
    private static final Duration UNTIL_IT_STARTS = Duration.ofMinutes(2);
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init") // by start
    private Process process;

    @AfterEach
    void close() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    /** @return the address of the endpoints */
    private String start(String... more) throws IOException {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-XX:+UseSerialGC",
                                        "-XX:TieredStopAtLevel=1",
                                        "-XX:-UsePerfData",
                                        "-Xmx512m",
                                        "-Djava.io.tmpdir=" + temporary,
                                        "-jar",
                                        JAR.toString(),
                                        "--chaos",
                                        "--dashboard"),
                                Stream.of(more))
                        .toList())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("SERVER_ADDRESS", "0.0.0.0"); // somebody's, for something else
        process = builder.start();
        await().atMost(UNTIL_IT_STARTS)
                .until(() -> !process.isAlive() || PAGE.matcher(out()).find());
        assertThat(out()).as(err()).containsPattern(PAGE);
        return PAGE.matcher(out()).results().findFirst().orElseThrow().group(1);
    }

    private String out() throws IOException {
        return Files.readString(folder.resolve("out"));
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    /** It has counted what it did, and nothing of it is left. */
    private void requireEnd(Duration patience) throws Exception {
        List<ProcessHandle> children = process.descendants().toList();
        assertThat(process.waitFor(patience.toSeconds(), TimeUnit.SECONDS))
                .as("ended:%n%s%n%s", out(), err())
                .isTrue();
        assertThat(process.exitValue()).as("%s%n%s", out(), err()).isZero();
        assertThat(out()).contains("Every order came to its end, nothing happened twice, and what failed is undone.");
        assertThat(children).isEmpty();
        try (Stream<Path> left = Files.list(folder.resolve("temporary"))) {
            assertThat(left).isEmpty();
        }
    }

    private JsonNode get(String address) throws Exception {
        HttpResponse<String> answer =
                client.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
        assertThat(answer.statusCode()).as("%s: %s", address, answer.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(answer.body());
    }

    @Test
    void aNewcomerSeesASagaFailRetryBeUndoneAndEnd() throws Exception {
        String endpoints = start();
        assertThat(out().lines().filter(line -> line.contains("safebunnyui"))).hasSize(1);
        assertThat(out())
                .contains("It shows the node orders")
                .contains("may pause, replay and repair without a login")
                .contains("for this demo only, and on this machine only")
                .contains("It ends after 10 minutes, or when you press Enter.");
        HttpResponse<String> page = client.send(
                HttpRequest.newBuilder(URI.create(endpoints + "safebunnyui")).build(), BodyHandlers.ofString());
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("<script type=\"module\"");
        requireLoopback(URI.create(endpoints).getPort());
        requirePages(get(endpoints + "safebunnyui/session").path("pages"));

        await().atMost(A_MINUTE).untilAsserted(() -> {
            assertThat(get(endpoints + "safebunny/now")
                            .path("rates")
                            .path("retried")
                            .asDouble())
                    .isPositive();
            JsonNode ended =
                    get(endpoints + "safebunny/sagas?state=ended&limit=100").path("sagas");
            assertThat(ended.valueStream().map(saga -> saga.path("status").asString()))
                    .contains("COMPLETED", "FAILED");
            assertThat(ended.valueStream()
                            .filter(saga -> saga.path("status").asString().equals("FAILED"))
                            .map(saga -> steps(endpoints, saga)))
                    .anySatisfy(steps -> assertThat(steps).isNotEmpty().containsOnly("UNDONE"));
        });

        await().atMost(A_MINUTE).untilAsserted(() -> assertThat(
                        get(endpoints + "safebunny/sagas?state=stuck").path("sagas"))
                .isNotEmpty());
        JsonNode stuck =
                get(endpoints + "safebunny/sagas?state=stuck").path("sagas").path(0);
        JsonNode repaired = repair(endpoints, stuck.path("id").asString());
        assertThat(repaired.path("outcome").asString()).isEqualTo("DONE");
        await().atMost(A_MINUTE).untilAsserted(() -> assertThat(
                        get(endpoints + "safebunnypoison").path("messages"))
                .isNotEmpty());

        process.destroy();

        requireEnd(Duration.ofSeconds(100));
        assertThat(out()).contains("Ending: what is in progress ends");
    }

    /** Of the other nodes. */
    private void requirePages(JsonNode pages) throws Exception {
        assertThat(pages.propertyNames()).hasSize(4);
        for (JsonNode page : pages) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create(page.asString())).build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(page.asString()).isEqualTo(200);
            assertThat(answer.body()).contains("<script type=\"module\"");
        }
    }

    private List<String> steps(String endpoints, JsonNode saga) {
        try {
            return get(endpoints + "safebunny/sagas/" + saga.path("id").asString())
                    .path("sagas")
                    .path(0)
                    .path("steps")
                    .valueStream()
                    .map(step -> step.path("status").asString())
                    .toList();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private JsonNode repair(String endpoints, String saga) throws Exception {
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(URI.create(endpoints + "safebunny/sagas/" + saga))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"action\":\"retry\",\"reason\":\"once more\"}"))
                        .build(),
                BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(answer.body());
    }

    /** From this machine, too, it is not to be reached by another address than that of the loopback. */
    private static void requireLoopback(int port) throws IOException {
        try (Socket own = new Socket()) {
            own.connect(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), 5_000);
        }
        List<InetAddress> others = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .toList();
        for (InetAddress other : others) {
            assertThatThrownBy(() -> {
                        try (Socket socket = new Socket()) {
                            socket.connect(new InetSocketAddress(other, port), 5_000);
                        }
                    })
                    .as(other.toString())
                    .isInstanceOf(IOException.class);
        }
    }

    /** The end of its input, as in the background, is nobody who presses Enter. */
    @Test
    void endsByItselfWhenAllOrdersHaveCome() throws Exception {
        start("--orders", "20");
        process.getOutputStream().close();

        requireEnd(Duration.ofSeconds(150));
        assertThat(out()).contains("It ends after 12 seconds", "20 orders in");
    }

    @Test
    void endsWhenSomebodyPressesEnter() throws Exception {
        start();
        try (OutputStream keys = process.getOutputStream()) {
            keys.write("\n".getBytes(StandardCharsets.UTF_8));
        }

        requireEnd(Duration.ofSeconds(100));
        assertThat(out()).contains("Ending: what is in progress ends").doesNotContain("1,000 orders in");
    }
}
