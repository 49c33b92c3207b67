// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A virtual host of a private broker, with users of different rights. */
record VirtualHost(TestBroker broker, String name) {

    private static final JsonMapper JSON = new JsonMapper();

    /** What is done with a channel that may do everything. */
    @FunctionalInterface
    interface OnChannel<T> {
        T run(Channel channel) throws IOException;
    }

    /** A user who may do in this virtual host what the patterns say. */
    void createUser(String user, String password, String configure, String write, String read) {
        put("/api/users/" + user, Map.of("password", password, "tags", ""));
        put("/api/permissions/" + name + "/" + user, Map.of("configure", configure, "write", write, "read", read));
    }

    /** To the main exchange, which must exist, the user may publish under such keys only. */
    void allowKeys(String user, String keys) {
        put(
                "/api/topic-permissions/" + name + "/" + user,
                Map.of("exchange", "safebunny", "write", keys, "read", ".*"));
    }

    void delete(String user) {
        send("DELETE", "/api/users/" + user, "");
        send("DELETE", "/api/vhosts/" + name, "");
    }

    /** The broker's name of each open connection, with the name its client gave it. */
    Map<String, String> connections() {
        Map<String, String> names = new TreeMap<>();
        for (JsonNode connection : JSON.readTree(send("GET", "/api/vhosts/" + name + "/connections", ""))) {
            names.put(
                    connection.path("name").asString(),
                    connection.path("client_properties").path("connection_name").asString());
        }
        return names;
    }

    ConnectionFactory client() {
        ConnectionFactory client = new ConnectionFactory();
        client.setHost(broker.host());
        client.setPort(broker.port());
        client.setUsername(broker.username());
        client.setPassword(broker.password());
        client.setVirtualHost(name);
        client.setAutomaticRecoveryEnabled(false);
        return client;
    }

    <T> T onBroker(OnChannel<T> action) {
        try (Connection connection = client().newConnection("looking on");
                Channel channel = connection.createChannel()) {
            return action.run(channel);
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("The test broker does not answer", e);
        }
    }

    private void put(String path, Map<String, String> body) {
        send("PUT", path, JSON.writeValueAsString(body));
    }

    private String send(String method, String path, String body) {
        URI address = broker.managementUri().orElseThrow().resolve(path);
        String user = broker.username() + ":" + broker.password();
        HttpRequest request = HttpRequest.newBuilder(address)
                .header("Content-Type", "application/json")
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)))
                .method(method, BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .build()
                    .send(request, BodyHandlers.ofString());
            if (response.statusCode() / 100 != 2) {
                throw new IllegalStateException(method + " " + path + " is answered with " + response.statusCode());
            }
            return response.body();
        } catch (IOException e) {
            throw new IllegalStateException("The management API does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while asking the management API", e);
        }
    }
}
