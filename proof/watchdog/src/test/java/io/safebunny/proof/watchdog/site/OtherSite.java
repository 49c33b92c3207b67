// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A site with a page that is not ours. The caller must close it. */
public final class OtherSite implements AutoCloseable {

    private final HttpServer server;

    private OtherSite(HttpServer server) {
        this.server = server;
    }

    /**
     * @param head more of its head
     * @param body what is below its title
     */
    public static OtherSite with(String head, String body) {
        byte[] page = """
                <!doctype html>
                <html lang="en">
                <head><title>A page</title><link rel="icon" href="data:,">%s</head>
                <body><main><h1>A page</h1>%s</main></body>
                </html>
                """.formatted(head, body).getBytes(StandardCharsets.UTF_8);
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                exchange.getResponseHeaders().add("Content-Type", "text/html;charset=utf-8");
                exchange.sendResponseHeaders(200, page.length);
                exchange.getResponseBody().write(page);
                exchange.close();
            });
            server.start();
            return new OtherSite(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
