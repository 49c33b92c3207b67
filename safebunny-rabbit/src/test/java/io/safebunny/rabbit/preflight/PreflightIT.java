// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Over HTTP, with a server that answers as management APIs do when something is wrong, or as another server does. */
class PreflightIT {

    private static final String PASSWORD = "correct-horse";
    private static final String OVERVIEW = "/api/overview";
    private static final String QUEUE = "/api/queues/%2F/shop-OrderPlaced";
    private static final String OTHERS = "/api/exchanges/%2F/safebunny.own/bindings/source";

    /** What the server answers, by the beginning of the path; the longest counts. */
    private final Map<String, String> answers = new LinkedHashMap<>();

    private final SystemTimeline timeline = new SystemTimeline("preflight");
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final Topology topology = TopologyPlanner.plan(
            "shop", List.of(new Subscription("OrderPlaced", List.of("desk"))), TopologyOptions.defaults());

    @SuppressWarnings("NullAway.Init") // before each
    private HttpServer server;

    @SuppressWarnings("NullAway.Init") // before each
    private Preflight preflight;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getRawPath();
            asked.add(path);
            String answer = answers.entrySet().stream()
                    .filter(one -> path.startsWith(one.getKey()))
                    .max(Map.Entry.comparingByKey())
                    .map(Map.Entry::getValue)
                    .orElse("404 {}");
            byte[] body = answer.substring(4).replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(Integer.parseInt(answer.substring(0, 3)), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        preflight = new Preflight(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "ann", PASSWORD, "/", timeline);
        answers.put(OVERVIEW, "200 {'management_version':'4.3.0','rabbitmq_version':'4.3.0'}");
    }

    @AfterEach
    void stop() {
        server.stop(0);
        timeline.close();
    }

    private TopologyReport compare(boolean isThorough) throws InterruptedException {
        TopologyReport report = preflight.compare(topology, List.of(), isThorough);
        assertThat(report.toString()).doesNotContain(PASSWORD);
        return report;
    }

    /** It would answer of all objects that they are missing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "404 not found | there is another server",
                "200 {'status':'UP'} | there is another server",
                "200 <html> | cannot be read",
                "401 {} | Add the tag `management` to the user",
                "503 {} | answers with status 503",
            })
    void whatIsNoManagementApiIsNotCompared(String answer, String reason) throws InterruptedException {
        answers.put(OVERVIEW, answer);

        TopologyReport report = compare(true);

        assertThat(report.refusal()).contains(reason);
        assertThat(report.queues()).isEmpty();
        assertThat(report.exchanges()).isEmpty();
    }

    @Test
    void whatWasComparedBeforeTheApiFailedKeepsItsMark() throws InterruptedException {
        answers.put("/api/exchanges/", "200 {'type':'topic'}");
        answers.put(QUEUE, "500 {}");

        TopologyReport report = compare(true);

        assertThat(report.refusal()).contains("status 500");
        assertThat(report.exchanges()).hasSize(topology.exchanges().size());
        assertThat(report.queues()).isEmpty();
    }

    /** That list is longer than all others. */
    @Test
    void whatIsPlannedIsComparedAlsoIfNobodyTellsWhatIsLeftOver() throws InterruptedException {
        answers.put(OTHERS, "500 {}");

        TopologyReport report = compare(true);

        assertThat(report.refusal()).isNull();
        assertThat(report.queues()).hasSize(topology.queues().size());
        assertThat(report.remarks()).anyMatch(remark -> remark.contains("not known which queues are left over"));
        assertThat(report.findings()).noneMatch(finding -> finding.contains("left over"));
    }

    @Test
    void whatIsLeftOverIsListedOnlyInAThoroughLookAndLookedAtInEach() throws InterruptedException {
        answers.put(OTHERS, "200 [{'destination_type':'queue','destination':'shop-Old$1'}]");
        answers.put(
                "/api/queues/%2F/shop-Old%241", "200 {'messages_ready':1,'messages_unacknowledged':0,'consumers':0}");
        answers.put("/api/queues/%2F/shop-Old%241/bindings", "200 []");

        assertThat(compare(true).queues()).containsKey("shop-Old$1");
        asked.clear();
        assertThat(compare(false).queues()).containsKey("shop-Old$1");
        assertThat(asked).doesNotContain(OTHERS).contains("/api/queues/%2F/shop-Old%241");

        answers.put(OTHERS, "200 []");
        assertThat(compare(true).queues()).doesNotContainKey("shop-Old$1");
    }
}
