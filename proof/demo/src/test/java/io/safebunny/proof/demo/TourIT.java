// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.command.CommandLine;
import io.safebunny.proof.demo.command.Node;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.test.process.Ports;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Follows docs/tour.md like a reader: starts what it says, makes its requests, and sees what it says. */
@Tag("once")
class TourIT {

    private static final Path PAGE = Path.of("../../docs/tour.md");
    private static final Pattern PORT = Pattern.compile("localhost:(\\d+)");
    private static final Pattern PLACEHOLDER = Pattern.compile("<\\w+>");
    /** Its port is so far from the first. */
    private static final int BILLING = 2;

    private static final Duration HALF_A_MINUTE = Duration.ofSeconds(40);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<String, String> known = new HashMap<>();
    private int ports;

    @Test
    void everyStepShowsWhatThePageSays() throws Exception {
        TourPage page = TourPage.read(PAGE);
        Options asked = CommandLine.parse(page.start().toArray(String[]::new));
        assertThat(asked.serve()).isTrue();
        int first = Ports.take(Node.values().length);
        ports = first - Objects.requireNonNull(asked.http(), "--http");
        try (SagaBroker broker = SagaBroker.open("order-saga-tour-" + UUID.randomUUID());
                ServedSaga saga =
                        ServedSaga.start(asked.withRabbit(broker.address()).withHttp(first))) {
            requirePage(saga.printed(), first + BILLING);
            for (TourPage.Step step : page.steps()) {
                follow(step);
            }
            assertThat(page.steps().stream()
                            .map(step -> step.request().address().replaceFirst("[^/]*//[^/]*", "")))
                    .contains("/actuator/health", "/actuator/prometheus", "/actuator/safebunny/breakers")
                    .contains("/actuator/safebunnypoison", "/orders/tour-[1-19]", "/gateway", "/ledger");
            assertThat(known).containsKeys("<copies>", "<replay>");

            Report report = saga.stop();

            assertThat(report.exitStatus()).as(report.json()).isZero();
            assertThat(report.completed()).as(report.json()).isEqualTo(19);
        }
    }

    /** The sample has printed one address of a page, where docs/tour.md says that it is. */
    private void requirePage(String printed, int port) throws Exception {
        String address = "http://localhost:" + port + "/actuator/safebunnyui";
        assertThat(printed.lines().filter(line -> line.contains("safebunnyui"))).containsExactly("page: " + address);
        assertThat(Files.readString(PAGE)).contains("page: " + address.replace(":" + port, ":" + (8080 + BILLING)));
        assertThat(printed).contains("for this demo only, and on this machine only");
        HttpResponse<String> page =
                client.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("<script type=\"module\"");
    }

    /** Asks again, as a reader would, until the answer is as the page says; changes are made once. */
    private void follow(TourPage.Step step) throws Exception {
        if (step.request().looksOnly()) {
            await().atMost(HALF_A_MINUTE).untilAsserted(() -> check(step));
        } else {
            check(step);
        }
    }

    private void check(TourPage.Step step) throws Exception {
        String answer = "";
        for (HttpRequest request : step.request().requests(this::actual)) {
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            answer = response.body();
            assertThat(response.statusCode()).as("%s: %s", request, answer).isBetween(200, 299);
        }
        String shown = answer.lines()
                .filter(line -> line.contains(step.request().grep()))
                .collect(Collectors.joining("\n"));
        Map<String, String> learnt = new HashMap<>(known);
        step.facts().forEach(fact -> fact.check(shown, learnt));
        known.putAll(learnt);
    }

    private String actual(String address) {
        String moved =
                PORT.matcher(address).replaceFirst(port -> "localhost:" + (Integer.parseInt(port.group(1)) + ports));
        return PLACEHOLDER.matcher(moved).replaceAll(name -> {
            assertThat(known).as(address).containsKey(name.group());
            return known.get(name.group());
        });
    }
}
