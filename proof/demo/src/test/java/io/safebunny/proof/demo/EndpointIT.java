// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.demo.command.Options;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The endpoint over HTTP, as docs/endpoints.md describes it, of a node of a served saga. */
@Tag("once")
class EndpointIT {

    private static final Pattern BILLING = Pattern.compile("(?m)^billing: (http://localhost:\\d+/actuator)$");
    private static final String PROBLEM = "application/problem+json";
    private static final String ANSWER = "application/vnd.spring-boot.actuator.v3+json";

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void looksAtTheNodeAndPausesATypeOfIt() throws Exception {
        try (SagaBroker broker = SagaBroker.open("order-saga-endpoint-" + UUID.randomUUID());
                ServedSaga saga = ServedSaga.start(
                        Options.defaults().withRabbit(broker.address()).withHttp(0))) {
            Matcher address = BILLING.matcher(saga.printed());
            assertThat(address.find()).as(saga.printed()).isTrue();
            String endpoint = address.group(1) + "/safebunny";

            JsonNode node = json(get(endpoint), 200, ANSWER);
            assertThat(node.path("node").asString()).isEqualTo("billing");
            assertThat(node.path("counts").path("types").asInt()).isPositive();
            String type = json(get(endpoint + "/breakers"), 200, ANSWER)
                    .propertyNames()
                    .iterator()
                    .next();
            for (String section : new String[] {"topology", "publisher", "sagas", "handlers", "outbox", "operations"}) {
                assertThat(json(get(endpoint + "/" + section), 200, ANSWER).isObject())
                        .as(section)
                        .isTrue();
            }
            assertThat(get(endpoint).body() + get(endpoint + "/publisher").body())
                    .doesNotContain("amqp://")
                    .doesNotContainIgnoringCase("password");

            pausesAndResumes(endpoint + "/breakers", type);
            saysWhatIsWrong(endpoint, type);
            looksAtPoison(address.group(1) + "/");
            saga.stop();
        }
    }

    private void pausesAndResumes(String breakers, String type) throws Exception {
        JsonNode paused = json(
                post(breakers + "/" + type, "{\"state\":\"open\",\"duration\":\"10m\",\"reason\":\"a look\"}"),
                200,
                ANSWER);
        assertThat(paused.path("operation").asString()).isNotEmpty();
        assertThat(paused.path("instances").path(0).path("applied").asBoolean()).isTrue();
        JsonNode state = json(get(breakers), 200, ANSWER).path(type);
        assertThat(state.path("state").asString()).isEqualTo("OPEN");
        assertThat(state.path("pause").path("reason").asString()).isEqualTo("a look");

        json(post(breakers + "/" + type, "{\"state\":\"closed\",\"reason\":\"seen\"}"), 200, ANSWER);

        assertThat(json(get(breakers), 200, ANSWER).path(type).path("state").asString())
                .isEqualTo("CLOSED");
    }

    private void saysWhatIsWrong(String endpoint, String type) throws Exception {
        JsonNode reasonless =
                json(post(endpoint + "/breakers/" + type, "{\"state\":\"open\",\"duration\":\"10m\"}"), 400, PROBLEM);
        assertThat(reasonless.path("detail").asString()).contains("reason");
        JsonNode section = json(get(endpoint + "/nothing"), 404, PROBLEM);
        assertThat(section.path("detail").asString()).contains("breakers");
        JsonNode unheard =
                json(post(endpoint + "/breakers/Unheard", "{\"state\":\"closed\",\"reason\":\"why\"}"), 404, PROBLEM);
        assertThat(unheard.path("detail").asString()).contains("Unheard");
        String[] unreadable = {"{\"state\":{\"a\":\"open\"},\"duration\":\"10m\",\"reason\":\"why\"}", "[]", "not json"
        };
        for (String body : unreadable) { // by Spring itself, as application-http.yaml asks it to
            json(post(endpoint + "/breakers/" + type, body), 400, PROBLEM);
        }
        assertThat(json(get(endpoint + "/breakers"), 200, ANSWER)
                        .path(type)
                        .path("state")
                        .asString())
                .isEqualTo("CLOSED");
    }

    private void looksAtPoison(String actuator) throws Exception {
        String poison = actuator + "safebunnypoison";
        JsonNode list = json(get(poison + "?limit=5"), 200, ANSWER);
        assertThat(list.path("messages").isArray()).isTrue();
        json(get(poison + "/nobody"), 404, PROBLEM);
        json(post(poison, "{\"action\":\"replay\",\"all\":true,\"rate\":-1,\"reason\":\"why\"}"), 400, PROBLEM);

        JsonNode replay = json(
                post(poison, "{\"action\":\"replay\",\"all\":true,\"dryRun\":true,\"reason\":\"a look\"}"),
                200,
                ANSWER);
        String operation = replay.path("operation").asString();
        JsonNode progress = json(get(actuator + "safebunny/operations/" + operation), 200, ANSWER);
        assertThat(progress.path("reason").asString()).isEqualTo("a look");
        assertThat(progress.path("dryRun").asBoolean()).isTrue();
    }

    private HttpResponse<String> get(String address) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String address, String body) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(address))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> answer, int status, String type) {
        assertThat(answer.statusCode())
                .as("%s: %s", answer.uri(), answer.body())
                .isEqualTo(status);
        assertThat(answer.headers().firstValue("content-type")).hasValueSatisfying(found -> assertThat(found)
                .as("%s: %s", answer.uri(), answer.body())
                .startsWith(type));
        return JsonMapper.shared().readTree(answer.body());
    }
}
