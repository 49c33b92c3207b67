// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.safebunny.test.database.CosmosUpstream.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of a {@link CosmosServer} that records requests and injects failures. Clients need gateway mode, without endpoint
 * discovery and certificate checks. For a private server, the proxy executes transactional batches atomically: the service does so, but the
 * private server does not. All writes must then go through this proxy. Thread-safe.
 */
public final class CosmosProxy implements AutoCloseable {

    /** The kinds of requests, which can be treated differently. */
    public enum Kind {
        CREATE,
        READ,
        REPLACE,
        DELETE,
        /** A transactional batch: several writes in one partition, all or nothing. */
        BATCH,
        QUERY,
        /** A request for how to run a query; clients send it once per query text. */
        QUERY_PLAN,
        /** Requests about the account, databases, containers and partition ranges. */
        METADATA
    }

    /** One request of a client. */
    public record Request(Kind kind, String method, String path) {}

    private record Fault(
            Kind kind,
            boolean once,
            boolean forwardFirst,
            int status,
            Map<String, String> headers,
            @Nullable CountDownLatch stall) {}

    private final CosmosUpstream upstream;
    private final boolean executesBatches;
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "cosmos-proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final List<Fault> faults = new CopyOnWriteArrayList<>();
    private final Object writes = new Object();
    private volatile UnaryOperator<String> account = UnaryOperator.identity();
    private volatile @Nullable LaggingReplica replica;

    private CosmosProxy(CosmosServer behind) throws IOException {
        this.upstream = new CosmosUpstream(behind);
        this.executesBatches = behind.isPrivate();
        this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(SelfSigned.server()));
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    /** Listens on a free port of 127.0.0.1. */
    public static CosmosProxy before(CosmosServer server) {
        try {
            return new CosmosProxy(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public URI endpoint() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    /** All requests except those for metadata, in the order of arrival, since the start or {@link #forget()}. */
    public List<Request> requests() {
        return requests.stream()
                .filter(request -> request.kind() != Kind.METADATA)
                .toList();
    }

    public void forget() {
        requests.clear();
    }

    /** Answers all requests of the kind with this status, without calling the server, until {@link #heal()}. */
    public void answer(Kind kind, int status, Map<String, String> headers) {
        faults.add(new Fault(kind, false, false, status, Map.copyOf(headers), null));
    }

    /** Answers the next request of the kind with this status, without calling the server. */
    public void answerNext(Kind kind, int status, Map<String, String> headers) {
        faults.add(new Fault(kind, true, false, status, Map.copyOf(headers), null));
    }

    /** Lets the next request of the kind take effect, but answers with this status, as if the response had been lost. */
    public void loseAnswerOfNext(Kind kind, int status) {
        faults.add(new Fault(kind, true, true, status, Map.of(), null));
    }

    /** Does not answer the requests of the kind until {@link #heal()}. */
    public void stall(Kind kind) {
        faults.add(new Fault(kind, false, false, 503, Map.of(), new CountDownLatch(1)));
    }

    /**
     * Answers reads, but not queries, like a lagging replica until {@link #heal()}: with each document as it was this long ago, or 404 if
     * it did not exist. Clients see this below Session consistency, or at Session consistency without the session token of the write; these
     * responses have no session token. In the meantime all writes must go through this proxy to a private server.
     */
    public void lag(Duration behind) {
        replica = new LaggingReplica(behind);
    }

    /** Changes the JSON that describes the account. */
    public void rewriteAccount(UnaryOperator<String> change) {
        account = change;
    }

    /** Ends all faults and the lag; stalled requests are refused with 503. */
    public void heal() {
        List<Fault> old = List.copyOf(faults);
        faults.removeAll(old);
        replica = null;
        for (Fault fault : old) {
            if (fault.stall != null) {
                fault.stall.countDown();
            }
        }
    }

    @Override
    public void close() {
        heal();
        server.stop(0);
        threads.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Kind kind = kindOf(exchange);
            requests.add(new Request(
                    kind, exchange.getRequestMethod(), exchange.getRequestURI().getRawPath()));
            Fault fault = strike(kind);
            if (fault == null) {
                answer(exchange, execute(kind, exchange, body));
                return;
            }
            if (fault.forwardFirst) {
                Answer unused = execute(kind, exchange, body);
            }
            if (fault.stall != null) {
                fault.stall.await();
            }
            exchange.getResponseHeaders().set("content-type", "application/json");
            fault.headers.forEach(exchange.getResponseHeaders()::set);
            send(
                    exchange,
                    fault.status,
                    "{\"code\":\"Fault\",\"message\":\"injected\"}".getBytes(StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable Fault strike(Kind kind) {
        Fault found =
                faults.stream().filter(fault -> fault.kind == kind).findFirst().orElse(null);
        if (found != null && found.once) {
            faults.remove(found);
        }
        return found;
    }

    private static Kind kindOf(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        if (!path.contains("/docs")) {
            return Kind.METADATA;
        }
        if (has(exchange, "x-ms-cosmos-is-batch-request")) {
            return Kind.BATCH;
        }
        return switch (exchange.getRequestMethod().toUpperCase(Locale.ROOT)) {
            case "GET" -> Kind.READ;
            case "PUT" -> Kind.REPLACE;
            case "DELETE" -> Kind.DELETE;
            default ->
                has(exchange, "x-ms-cosmos-is-query-plan-request")
                        ? Kind.QUERY_PLAN
                        : has(exchange, "x-ms-documentdb-isquery") || has(exchange, "x-ms-documentdb-query")
                                ? Kind.QUERY
                                : Kind.CREATE;
        };
    }

    private static boolean has(HttpExchange exchange, String header) {
        return "true".equalsIgnoreCase(exchange.getRequestHeaders().getFirst(header));
    }

    /** Serializes writes, so that a batch's preconditions still hold when it writes. */
    private Answer execute(Kind kind, HttpExchange exchange, byte[] body) throws IOException, InterruptedException {
        LaggingReplica lagging = replica;
        if (kind == Kind.READ && lagging != null) {
            return lagging.read(CosmosUpstream.path(exchange), upstream.forward(exchange, body));
        }
        if (kind == Kind.READ || kind == Kind.QUERY || kind == Kind.QUERY_PLAN || kind == Kind.METADATA) {
            return upstream.forward(exchange, body);
        }
        synchronized (writes) {
            if (lagging == null) {
                return write(kind, exchange, body);
            }
            List<String> documents = documents(kind, exchange, body);
            for (String document : documents) {
                if (!lagging.knows(document)) {
                    lagging.was(document, upstream.look(exchange, document));
                }
            }
            Answer answer = write(kind, exchange, body);
            for (String document : documents) {
                lagging.is(document, upstream.look(exchange, document));
            }
            return answer;
        }
    }

    private Answer write(Kind kind, HttpExchange exchange, byte[] body) throws IOException, InterruptedException {
        return kind == Kind.BATCH && executesBatches
                ? CosmosBatch.execute(
                        body,
                        (method, id, headers, content) -> upstream.forward(exchange, method, id, headers, content))
                : upstream.forward(exchange, body);
    }

    /** The paths of the documents that a write affects. */
    private static List<String> documents(Kind kind, HttpExchange exchange, byte[] body) {
        String path = CosmosUpstream.path(exchange);
        return switch (kind) {
            case CREATE -> List.of(path + "/" + CosmosBatch.idOf(body));
            case BATCH ->
                CosmosBatch.ids(body).stream().map(id -> path + "/" + id).toList();
            default -> List.of(path);
        };
    }

    private void answer(HttpExchange exchange, Answer answer) throws IOException {
        answer.headers().forEach((name, values) -> {
            boolean isLost = replica != null && name.equalsIgnoreCase("x-ms-session-token");
            if (!isLost && CosmosUpstream.isCopied(name)) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
        byte[] body = answer.body();
        if (exchange.getRequestURI().getPath().replace("/", "").isEmpty()) {
            body = account.apply(new String(body, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
        }
        send(exchange, answer.status(), body);
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }
}
