// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import io.safebunny.topology.Topology;
import java.io.IOException;
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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks RabbitMQ's management API what AMQP does not tell: how a node's queues are after policies, and what is bound to them. It only
 * reads. Thread-safe.
 */
public final class Preflight {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int NOT_FOUND = 404;
    private static final JsonMapper JSON = new JsonMapper();

    private final URI management;
    private final String user;
    private final String authorization;
    private final String virtualHost;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /**
     * @param management where the plugin listens, such as {@code http://broker:15672}
     * @param user of the broker, with the tag {@code management} at least
     */
    public Preflight(URI management, String user, String password, String virtualHost) {
        this.management = management;
        this.user = user;
        this.authorization =
                "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        this.virtualHost = virtualHost;
    }

    /** Why it could not be asked. */
    private static final class UnaskedException extends Exception {

        private static final long serialVersionUID = 1L;

        UnaskedException(String message) {
            super(message);
        }
    }

    /**
     * What is not as the node needs it, each with what to do; empty for nothing. If the API cannot be asked, that is the finding. Blocks
     * for some seconds at most per queue.
     */
    public List<String> findings(Topology planned) throws InterruptedException {
        List<String> findings = new ArrayList<>();
        try {
            JsonNode overview = get("/api/overview");
            String old = overview == null
                    ? null
                    : BrokerVersion.finding(overview.path("rabbitmq_version").asString(""));
            if (old != null) {
                findings.add(old);
            }
            for (Topology.Queue queue : planned.queues()) {
                JsonNode found = get("/api/queues/%s/%s".formatted(encoded(virtualHost), encoded(queue.name())));
                if (found != null) {
                    findings.addAll(facts(found).findings(queue));
                    findings.addAll(bindings(planned, queue.name()));
                }
            }
        } catch (UnaskedException e) {
            findings.add("Policies and bindings are not checked: " + e.getMessage());
        }
        return findings;
    }

    private static QueueFacts facts(JsonNode queue) {
        return new QueueFacts(
                queue.path("type").asString("classic"),
                map(queue.path("arguments")),
                map(queue.path("effective_policy_definition")),
                Stream.of(
                                queue.path("policy").asString(""),
                                queue.path("operator_policy").asString(""))
                        .filter(name -> !name.isEmpty())
                        .map(name -> "'" + name + "'")
                        .collect(Collectors.joining(" and ")));
    }

    /** An empty one is an array in some versions. */
    private static Map<String, Object> map(JsonNode object) {
        Map<String, Object> map = new TreeMap<>();
        object.properties().forEach(entry -> {
            JsonNode value = entry.getValue();
            map.put(entry.getKey(), value.isIntegralNumber() ? (Object) value.asLong() : value.asString(""));
        });
        return map;
    }

    private List<String> bindings(Topology planned, String queue) throws UnaskedException, InterruptedException {
        Set<String> wanted = planned.bindings().stream()
                .filter(binding -> binding.queue().equals(queue))
                .map(binding -> described(binding.exchange(), binding.routingKey()))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> missing = new TreeSet<>(wanted);
        List<String> findings = new ArrayList<>();
        JsonNode found = get("/api/queues/%s/%s/bindings".formatted(encoded(virtualHost), encoded(queue)));
        for (JsonNode binding : found == null ? List.<JsonNode>of() : found) {
            String source = binding.path("source").asString("");
            String described = described(source, binding.path("routing_key").asString(""));
            missing.remove(described);
            if (!source.isEmpty() && !wanted.contains(described)) {
                findings.add(
                        "Queue '%s' is also bound to %s, which the node does not ask for: if it is left from a handler's earlier `from`, remove it"
                                .formatted(queue, described));
            }
        }
        missing.forEach(binding -> findings.add(
                "Queue '%s' is not bound to %s: messages do not arrive. Run --safebunny.topology=apply as a user who may bind it"
                        .formatted(queue, binding)));
        return findings;
    }

    private static String described(String exchange, String routingKey) {
        return "exchange '%s' with key '%s'".formatted(exchange, routingKey);
    }

    /** @return {@code null} when it does not exist */
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
                        "the management API at %s answers user '%s' with status %d. The user needs the tag `management` and permissions on virtual host '%s'"
                                .formatted(management, user, response.statusCode(), virtualHost));
            }
            return JSON.readTree(response.body());
        } catch (IOException | JacksonException | IllegalArgumentException e) {
            throw new UnaskedException(
                    "the management API at %s cannot be asked: %s. Correct safebunny.topology.management-uri"
                            .formatted(management, e));
        }
    }

    private static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
