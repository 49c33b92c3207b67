// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The part of RabbitMQ's HTTP API that tests need; thread-safe. */
final class ManagementApi {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final JsonMapper JSON = new JsonMapper();

    // not HTTP/2: the plugin of 3.10 sometimes closes the connection when it is offered
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    private final URI address;
    private final String username;
    private final String authorization;

    ManagementApi(URI address, String username, String password) {
        this.address = address;
        this.username = username;
        this.authorization = "Basic "
                + Base64.getEncoder().encodeToString((username + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    void createVirtualHost(String name) {
        put("/api/vhosts/" + encode(name), "{}");
        put(
                "/api/permissions/" + encode(name) + "/" + encode(username),
                "{\"configure\": \".*\", \"write\": \".*\", \"read\": \".*\"}");
    }

    void deleteVirtualHost(String name) {
        delete("/api/vhosts/" + encode(name));
    }

    /** Number of running cluster nodes, as seen by this one. */
    int runningNodes() {
        int running = 0;
        for (JsonNode node : get("/api/nodes")) {
            running += node.path("running").asBoolean() ? 1 : 0;
        }
        return running;
    }

    /** Open connections of a virtual host: for each, the plugin's name for it, and the name that the client gave it. */
    Map<String, String> connections(String virtualHost) {
        Map<String, String> names = new HashMap<>();
        for (JsonNode connection : get("/api/vhosts/" + encode(virtualHost) + "/connections")) {
            JsonNode given = connection.path("client_properties").path("connection_name");
            if (given.isString()) {
                names.put(connection.path("name").asString(), given.asString());
            }
        }
        return names;
    }

    /** @param kind {@code connections} or {@code channels} */
    int count(String virtualHost, String kind) {
        return get("/api/vhosts/" + encode(virtualHost) + "/" + kind).size();
    }

    /** Closes all connections to which their client gave this name; returns how many there were. */
    int closeConnections(String virtualHost, String given) {
        List<String> names = connections(virtualHost).entrySet().stream()
                .filter(entry -> entry.getValue().equals(given))
                .map(Map.Entry::getKey)
                .toList();
        names.forEach(name -> delete("/api/connections/" + encode(name)));
        return names.size();
    }

    /** Sets a policy for this one queue; the policy has the queue's name. */
    void putPolicy(String virtualHost, String queue, Map<String, Object> definition) {
        Policy policy = new Policy("^\\Q" + queue + "\\E$", "queues", definition);
        put(policyPath(virtualHost, queue), JSON.writeValueAsString(policy));
    }

    void deletePolicy(String virtualHost, String name) {
        delete(policyPath(virtualHost, name));
    }

    private static String policyPath(String virtualHost, String name) {
        return "/api/policies/" + encode(virtualHost) + "/" + encode(name);
    }

    private void put(String path, String body) {
        send(request(path)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(body))
                .build());
    }

    private void delete(String path) {
        send(request(path).DELETE().build());
    }

    private JsonNode get(String path) {
        return JSON.readTree(send(request(path).GET().build()));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(address.resolve(path)).timeout(PATIENCE).header("Authorization", authorization);
    }

    private String send(HttpRequest request) {
        try {
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            boolean isGone = request.method().equals("DELETE") && response.statusCode() == 404;
            if (response.statusCode() / 100 != 2 && !isGone) {
                throw new BrokerUnavailableException("The management API refused [" + request.method() + " "
                        + request.uri() + "]: found status " + response.statusCode()
                        + ", needs 2xx. See that the broker's user is an administrator.");
            }
            return response.body();
        } catch (IOException e) {
            throw new BrokerUnavailableException(
                    "The management API does not answer [" + request.uri()
                            + "]: no connection. See that the broker has the management plugin.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerUnavailableException("Interrupted while asking the management API.", e);
        }
    }

    /** A policy in the form that the API expects. */
    record Policy(String pattern, @JsonProperty("apply-to") String applyTo, Map<String, Object> definition) {}

    private static String encode(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
