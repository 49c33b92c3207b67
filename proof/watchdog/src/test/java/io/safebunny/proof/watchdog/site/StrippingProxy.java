// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A proxy that takes {@value #PREFIX} off the paths of requests, and tells the server nothing of it. Thread-safe. The caller must close it. */
final class StrippingProxy implements AutoCloseable {

    static final String PREFIX = "/ops/shop";

    private static final Set<String> OF_ONE_CONNECTION =
            Set.of("connection", "content-length", "expect", "host", "keep-alive", "transfer-encoding", "upgrade");

    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "stripping-proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final List<String> strays = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private final URI target;

    private StrippingProxy(HttpServer server, URI target) {
        this.server = server;
        this.target = target;
    }

    static StrippingProxy before(URI target) {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            StrippingProxy proxy = new StrippingProxy(server, target);
            server.createContext("/", proxy::handle);
            server.setExecutor(proxy.threads);
            server.start();
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What stands for the root of the server. */
    URI root() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + PREFIX);
    }

    /** Paths without the prefix that somebody has asked for: a page that links to them does not work here. */
    List<String> strays() {
        return List.copyOf(strays);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().toString();
            if (!path.startsWith(PREFIX + "/")) {
                strays.add(path);
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            HttpResponse<byte[]> answer =
                    client.send(forwarded(exchange, path.substring(PREFIX.length())), BodyHandlers.ofByteArray());
            answer.headers().map().forEach((name, values) -> {
                if (isPassedOn(name)) {
                    exchange.getResponseHeaders().put(name, values);
                }
            });
            exchange.sendResponseHeaders(answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
            exchange.getResponseBody().write(answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest forwarded(HttpExchange exchange, String path) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(target.resolve(path))
                .method(
                        exchange.getRequestMethod(),
                        BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (isPassedOn(name)) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.build();
    }

    private static boolean isPassedOn(String header) {
        return !header.startsWith(":") && !OF_ONE_CONNECTION.contains(header.toLowerCase(Locale.ROOT));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
