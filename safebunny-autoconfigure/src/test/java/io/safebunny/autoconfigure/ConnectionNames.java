// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The names clients gave their connections, as the broker's management plugin lists them. */
final class ConnectionNames {

    private final HttpClient http = HttpClient.newHttpClient();
    private final HttpRequest request;

    ConnectionNames(TestBroker broker) {
        URI management = broker.managementUri().orElseThrow();
        String credentials = broker.username() + ":" + broker.password();
        request = HttpRequest.newBuilder(management.resolve("/api/connections"))
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)))
                .build();
    }

    List<String> beginningWith(String prefix) throws IOException, InterruptedException {
        String body = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        List<String> names = new ArrayList<>();
        for (JsonNode connection : JsonMapper.shared().readTree(body)) {
            String name =
                    connection.path("client_properties").path("connection_name").asString("");
            if (name.startsWith(prefix)) {
                names.add(name);
            }
        }
        return names;
    }
}
