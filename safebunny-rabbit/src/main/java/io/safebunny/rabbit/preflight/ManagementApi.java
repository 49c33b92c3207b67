// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads RabbitMQ's management API. Each call blocks for at most a few seconds. Thread-safe. */
final class ManagementApi {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int NOT_FOUND = 404;
    private static final JsonMapper JSON = new JsonMapper();

    private final URI management;
    private final String user;
    private final String authorization;
    private final String virtualHost;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    ManagementApi(URI management, String user, String password, String virtualHost) {
        this.management = management;
        this.user = user;
        this.authorization =
                "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        this.virtualHost = virtualHost;
    }

    /** The API cannot be used; the message tells why. */
    static final class UnaskedException extends Exception {

        private static final long serialVersionUID = 1L;

        UnaskedException(String message) {
            super(message);
        }
    }

    /** The broker's version; empty if the API does not tell. */
    String version() throws UnaskedException, InterruptedException {
        JsonNode overview = get("/api/overview");
        return overview == null ? "" : overview.path("rabbitmq_version").asString("");
    }

    /** @return {@code null} if it does not exist */
    @Nullable
    JsonNode queue(String name) throws UnaskedException, InterruptedException {
        return get("/api/queues/%s/%s".formatted(encoded(virtualHost), encoded(name)));
    }

    /** @return {@code null} if the queue does not exist */
    @Nullable
    JsonNode bindings(String queue) throws UnaskedException, InterruptedException {
        return get("/api/queues/%s/%s/bindings".formatted(encoded(virtualHost), encoded(queue)));
    }

    private @Nullable JsonNode get(String path) throws UnaskedException, InterruptedException {
        URI address = URI.create(management.toString().replaceAll("/+$", "") + path);
        try {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(address)
                            .timeout(PATIENCE)
                            .header("Authorization", authorization)
                            .build(),
                    BodyHandlers.ofString());
            if (response.statusCode() == NOT_FOUND) {
                return null;
            }
            if (response.statusCode() != 200) {
                throw new UnaskedException(
                        "the management API at %s answers user '%s' with status %s. Add the tag `management` to the user, and permissions on virtual host '%s'"
                                .formatted(management, user, response.statusCode(), virtualHost));
            }
            return JSON.readTree(response.body());
        } catch (IOException | JacksonException | IllegalArgumentException e) {
            throw new UnaskedException(
                    "the management API at %s cannot be read: %s. Check safebunny.topology.management-uri"
                            .formatted(management, e));
        }
    }

    private static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
