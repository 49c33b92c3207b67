// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Forwards a client's requests to the server, as they are or in parts; parts are signed again. Thread-safe. */
final class CosmosUpstream {

    private static final Set<String> NOT_COPIED =
            Set.of("connection", "content-length", "expect", "host", "http2-settings", "transfer-encoding", "upgrade");

    private final URI target;
    private final String key;
    private final HttpClient client = SelfSigned.client();

    CosmosUpstream(CosmosServer server) {
        this.target = server.endpoint();
        this.key = server.key();
    }

    /** The server's response. */
    record Answer(int status, Map<String, List<String>> headers, byte[] body) {}

    /** Whether the header belongs to the message, not to the connection. */
    static boolean isCopied(String header) {
        return !NOT_COPIED.contains(header.toLowerCase(Locale.ROOT));
    }

    /** Path of a document, or of a collection's documents; clients end the latter with a slash. */
    static String path(HttpExchange exchange) {
        return withoutDoubledSlash(exchange).replaceFirst("/+$", "");
    }

    private static String withoutDoubledSlash(HttpExchange exchange) {
        return exchange.getRequestURI().getRawPath().replaceFirst("^/+", "/");
    }

    /** Forwards the request as it is. */
    Answer forward(HttpExchange exchange, byte[] body) throws IOException, InterruptedException {
        return send(exchange, exchange.getRequestMethod(), withoutDoubledSlash(exchange), false, Map.of(), body);
    }

    /**
     * Sends one operation of a batch.
     *
     * @param below path of the document, relative to that of the request; empty for the same path
     */
    Answer forward(HttpExchange exchange, String method, String below, Map<String, String> headers, byte[] body)
            throws IOException, InterruptedException {
        return below.isEmpty()
                ? send(exchange, method, withoutDoubledSlash(exchange), false, headers, body)
                : send(exchange, method, path(exchange) + below, true, headers, body);
    }

    /** Reads a document, with the permission of the client's request. */
    Answer look(HttpExchange exchange, String document) throws IOException, InterruptedException {
        return send(exchange, "GET", document, true, Map.of("Accept", "application/json"), new byte[0]);
    }

    /** @param signed whether the request differs from the one that the client signed */
    private Answer send(
            HttpExchange exchange, String method, String path, boolean signed, Map<String, String> headers, byte[] body)
            throws IOException, InterruptedException {
        String query = exchange.getRequestURI().getRawQuery();
        HttpRequest.Builder request = HttpRequest.newBuilder(target.resolve(path + (query == null ? "" : "?" + query)))
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
        boolean isPart = !headers.isEmpty();
        exchange.getRequestHeaders().forEach((name, values) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (isCopied(name) && !(isPart && (lower.startsWith("x-ms-cosmos-") || lower.equals("if-match")))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        headers.forEach(request::setHeader);
        if (signed) {
            String date =
                    Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("x-ms-date"), "");
            request.setHeader("Authorization", CosmosSignature.ofDocument(key, method, path, date));
        }
        HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        return new Answer(response.statusCode(), response.headers().map(), response.body());
    }
}
