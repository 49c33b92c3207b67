// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/** The part of RabbitMQ's HTTP API that tests need; thread-safe. */
final class ManagementApi {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    // the plugin of 3.10 sometimes closes the connection on an offer of HTTP/2
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

    private void put(String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(address.resolve(path))
                .timeout(PATIENCE)
                .header("Authorization", authorization)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(body))
                .build();
        int status = send(request);
        if (status / 100 != 2) {
            throw new BrokerUnavailableException("The management API refused [PUT " + request.uri() + "]: found status "
                    + status + ", needs 2xx. See that the broker's user is an administrator.");
        }
    }

    private int send(HttpRequest request) {
        try {
            return client.send(request, BodyHandlers.discarding()).statusCode();
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

    private static String encode(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
