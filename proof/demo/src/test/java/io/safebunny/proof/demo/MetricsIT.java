// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static io.safebunny.proof.demo.SagaBroker.contract;
import static io.safebunny.proof.demo.SagaBroker.placeOrder;
import static io.safebunny.proof.demo.SagaBroker.publish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import io.safebunny.proof.demo.command.Options;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The meters documented on the operations page, the dashboard and the alerts, as Prometheus scrapes them from a served saga. */
@Tag("once")
class MetricsIT {

    private static final Path PAGE = Path.of("../../docs/operations.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`safebunny\\.[^|]*) \\| ([^|]*) \\|");
    private static final Pattern QUOTED = Pattern.compile("`([^`]*)`");
    private static final Pattern ADDRESS = Pattern.compile("(?m)^(\\w+): (http://localhost:\\d+/actuator)$");
    private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)(?:\\{(.*)\\})? \\S+$");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"[^\"]*\"");
    private static final Path DASHBOARD = Path.of("../../docs/grafana-dashboard.json");
    private static final Path ALERTS = Path.of("../../docs/prometheus-alerts.yaml");
    private static final Pattern EXPR_IN_JSON = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern EXPR_IN_YAML = Pattern.compile("expr: '([^']*)'");
    private static final Pattern METER = Pattern.compile("safebunny_\\w+");
    private static final Pattern LABEL_ASKED = Pattern.compile("[{,]\\s*(\\w+)[=!]");
    private static final Pattern BY = Pattern.compile("by \\(([^)]*)\\)");
    /**
     * Meters of the outbox, Cosmos DB, stored bodies, scheduled messages, shared transactions and rates: the sample publishes only in handlers,
     * shares none and limits none, and the test has no account.
     */
    private static final Set<String> OF_OTHERS = Set.of(
            "safebunny.scheduled",
            "safebunny.shared",
            "safebunny.rate.limit",
            "safebunny.rate.waiting",
            "safebunny.rate.wait",
            "safebunny.rate.throttled",
            "safebunny.claim",
            "safebunny.claim.bytes",
            "safebunny.outbox",
            "safebunny.outbox.backlog",
            "safebunny.cosmos.request.charge");

    private static final int ORDERS = 50;

    private final HttpClient client = HttpClient.newHttpClient();

    /** Runs with an orchestrator, chaos, duplicates and bad messages, so that each meter has something to count. */
    @Test
    void aScrapeHasTheDocumentedMetersWithTheirTags() throws Exception {
        try (SagaBroker broker = SagaBroker.open("order-saga-metrics-" + UUID.randomUUID());
                ServedSaga saga = ServedSaga.start(Options.defaults()
                        .withRabbit(broker.address())
                        .withChaos(11)
                        .with(Options.Flag.ORCHESTRATED)
                        .withOrders(ORDERS)
                        .withHttp(0));
                Channel channel = broker.channel()) {
            Map<String, String> addresses = addresses(saga.printed());
            placeOrders(channel);
            await().atMost(Duration.ofMinutes(1)).until(() -> text(addresses.get("notifications") + "/prometheus")
                    .contains("safebunny_handler_seconds_count{error=\"none\""));

            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertDocumented(scrape(addresses)));
            Map<String, Set<String>> samples = scrape(addresses);
            assertKnown(DASHBOARD, EXPR_IN_JSON, 18, samples);
            assertKnown(ALERTS, EXPR_IN_YAML, 15, samples);
            for (String address : addresses.values()) {
                assertThat(text(address + "/health")).contains("\"safebunny\"").contains("\"status\":\"UP\"");
            }
            saga.stop();
        }
    }

    private static Map<String, String> addresses(String printed) {
        Map<String, String> addresses = ADDRESS.matcher(printed)
                .results()
                .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2)));
        assertThat(addresses).containsOnlyKeys("storefront", "orders", "billing", "shipping", "notifications");
        return addresses;
    }

    private static void placeOrders(Channel channel) throws Exception {
        channel.confirmSelect();
        for (int i = 0; i < ORDERS; i++) {
            String order = "measured-" + i;
            publish(channel, contract(order).build(), placeOrder(order));
            publish(channel, contract(order).build(), placeOrder(order));
        }
        // another message for a saga that has started
        String again = "measured-again";
        publish(channel, contract(again).correlationId("saga-of-measured-0").build(), placeOrder("measured-0"));
        publish(channel, contract("broken").build(), "{".getBytes(StandardCharsets.UTF_8));
        channel.waitForConfirmsOrDie(30_000);
    }

    /** The labels of each meter, over all nodes. */
    private Map<String, Set<String>> scrape(Map<String, String> addresses) throws Exception {
        Map<String, Set<String>> samples = new TreeMap<>();
        for (String address : addresses.values()) {
            Matcher sample = SAMPLE.matcher(text(address + "/prometheus"));
            while (sample.find()) {
                String labels = sample.group(2) == null ? "" : sample.group(2);
                samples.computeIfAbsent(sample.group(1), name -> new TreeSet<>())
                        .addAll(LABEL.matcher(labels)
                                .results()
                                .map(label -> label.group(1))
                                .toList());
            }
        }
        return samples;
    }

    private static void assertDocumented(Map<String, Set<String>> samples) throws IOException {
        Matcher row = ROW.matcher(Files.readString(PAGE));
        Set<String> found = new TreeSet<>();
        while (row.find()) {
            // after a colon come the values
            List<String> tags = quoted(row.group(2).replaceFirst(":.*", ""));
            boolean andOthers = row.group(2).contains("others");
            for (String meter : quoted(row.group(1))) {
                if (OF_OTHERS.contains(meter)) {
                    continue;
                }
                found.add(meter);
                Pattern name =
                        Pattern.compile(meter.replace('.', '_') + "(_total|(_seconds|_bytes)?(_count|_gcount)?)");
                List<Set<String>> labels = samples.entrySet().stream()
                        .filter(sample -> name.matcher(sample.getKey()).matches())
                        .map(Map.Entry::getValue)
                        .toList();
                assertThat(labels).as(meter).isNotEmpty().allSatisfy(these -> {
                    assertThat(these).containsAll(tags);
                    assertThat(andOthers || these.size() == tags.size())
                            .as("%s has the tags %s", meter, these)
                            .isTrue();
                });
            }
        }
        assertThat(found).hasSizeGreaterThanOrEqualTo(9);
    }

    /** Every expression asks for what is there, and by labels that it has. */
    private static void assertKnown(Path file, Pattern expression, int atLeast, Map<String, Set<String>> samples)
            throws IOException {
        List<String> expressions = expression
                .matcher(Files.readString(file))
                .results()
                .map(found -> found.group(1).replace("\\\"", "\""))
                .toList();
        assertThat(expressions).hasSizeGreaterThanOrEqualTo(atLeast).allSatisfy(asked -> {
            Set<String> labels = new TreeSet<>(Set.of("instance"));
            Matcher meter = METER.matcher(asked);
            assertThat(meter.results()).isNotEmpty();
            meter.reset();
            while (meter.find()) {
                assertThat(samples).containsKey(meter.group());
                labels.addAll(samples.get(meter.group()));
            }
            assertThat(labels).containsAll(labelsIn(asked));
        });
    }

    private static Set<String> labelsIn(String expression) {
        Set<String> labels = LABEL_ASKED
                .matcher(expression)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        BY.matcher(expression)
                .results()
                .forEach(found -> labels.addAll(List.of(found.group(1).split(", "))));
        return labels;
    }

    private static List<String> quoted(String text) {
        return QUOTED.matcher(text)
                .results()
                .map(found -> found.group(1).replaceFirst(" .*", ""))
                .toList();
    }

    private String text(String address) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                client.send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(address).isEqualTo(200);
        return answer.body();
    }
}
