// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.time.Timeline;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads RabbitMQ's management API. Each call blocks for at most a few seconds. Thread-safe. */
final class ManagementApi {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** The largest page that the API gives. */
    private static final int PAGE = 500;

    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;

    private static final JsonMapper JSON = new JsonMapper();

    private final URI management;
    private final String user;
    private final String authorization;
    private final String virtualHost;
    private final Timeline timeline;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    ManagementApi(URI management, String user, String password, String virtualHost, Timeline timeline) {
        this.management = management;
        this.user = user;
        this.authorization =
                "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        this.virtualHost = virtualHost;
        this.timeline = timeline;
    }

    /** The API cannot be used; the message tells why. */
    static final class UnaskedException extends Exception {

        private static final long serialVersionUID = 1L;

        UnaskedException(String message) {
            super(message);
        }
    }

    /**
     * The broker's version; empty if the API does not tell.
     *
     * @throws UnaskedException also if another server is there, which would know nothing of what is asked for next
     */
    String version() throws UnaskedException, InterruptedException {
        JsonNode overview = get("/api/overview");
        if (overview == null || !overview.has("management_version")) {
            throw unreadable("there is another server, or the API has a path of its own");
        }
        return overview.path("rabbitmq_version").asString("");
    }

    /** @return {@code null} if it does not exist */
    @Nullable
    JsonNode exchange(String name) throws UnaskedException, InterruptedException {
        return get("/api/exchanges/%s/%s".formatted(encoded(virtualHost), encoded(name)));
    }

    /** @return {@code null} if it does not exist */
    @Nullable
    JsonNode queue(String name) throws UnaskedException, InterruptedException {
        return get("/api/queues/%s/%s".formatted(encoded(virtualHost), encoded(name)));
    }

    /** Names of all queues of the virtual host that contain a text; {@code contained} may have the characters of a node's name. */
    List<String> queueNames(String contained) throws UnaskedException, InterruptedException {
        List<String> names = new ArrayList<>();
        int pages = 1;
        for (int page = 1; page <= pages; page++) {
            JsonNode found = get("/api/queues/%s?page=%s&page_size=%s&name=%s&use_regex=false&columns=name"
                    .formatted(encoded(virtualHost), page, PAGE, encoded(contained)));
            if (found == null || !found.path("items").isArray()) {
                throw unreadable("it does not list the queues of virtual host '%s'".formatted(virtualHost));
            }
            found.path("items").forEach(queue -> names.add(queue.path("name").asString("")));
            pages = found.path("page_count").asInt(1);
        }
        return names;
    }

    /** @return {@code null} if the queue does not exist */
    @Nullable
    JsonNode bindings(String queue) throws UnaskedException, InterruptedException {
        return get("/api/queues/%s/%s/bindings".formatted(encoded(virtualHost), encoded(queue)));
    }

    /** @return what is bound to the exchange; {@code null} if it does not exist */
    @Nullable
    JsonNode bindingsFrom(String exchange) throws UnaskedException, InterruptedException {
        return get("/api/exchanges/%s/%s/bindings/source".formatted(encoded(virtualHost), encoded(exchange)));
    }

    private @Nullable JsonNode get(String path) throws UnaskedException, InterruptedException {
        URI address = URI.create(management.toString().replaceAll("/+$", "") + path);
        HttpRequest request = HttpRequest.newBuilder(address)
                .timeout(PATIENCE)
                .header("Authorization", authorization)
                .build();
        CompletableFuture<HttpResponse<String>> asked = client.sendAsync(request, BodyHandlers.ofString());
        try {
            // the timeout of the request ends with its head
            HttpResponse<String> response = timeline.await(asked, PATIENCE.multipliedBy(2));
            return switch (response.statusCode()) {
                case OK -> JSON.readTree(response.body());
                case NOT_FOUND -> null;
                case UNAUTHORIZED, FORBIDDEN ->
                    throw new UnaskedException(
                            "the management API at %s answers user '%s' with status %s. Add the tag `management` to the user, and permissions on virtual host '%s'"
                                    .formatted(management, user, response.statusCode(), virtualHost));
                default ->
                    throw new UnaskedException(
                            "the management API at %s answers with status %s. Check the broker, and whatever is between it and this node"
                                    .formatted(management, response.statusCode()));
            };
        } catch (ExecutionException e) {
            throw unreadable(String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            throw unreadable("no complete answer within " + PATIENCE.multipliedBy(2));
        } catch (JacksonException | IllegalArgumentException e) {
            throw unreadable(String.valueOf(e));
        } finally {
            asked.cancel(true);
        }
    }

    private UnaskedException unreadable(String why) {
        return new UnaskedException(
                "the management API at %s cannot be read: %s. Check safebunny.topology.management-uri"
                        .formatted(management, why));
    }

    static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
