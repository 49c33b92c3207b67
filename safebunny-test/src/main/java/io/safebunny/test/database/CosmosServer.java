// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import io.safebunny.test.process.Ports;
import io.safebunny.test.process.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A server that speaks the API of Azure Cosmos DB: the account that the environment names with {@code SAFEBUNNY_COSMOS_ENDPOINT} and {@code
 * SAFEBUNNY_COSMOS_KEY}, or a private one in memory on 127.0.0.1, run with Node.js from the npm package {@code @vercel/cosmosdb-server}.
 * The private server has no time to live, no request units, no size limits and only one partition. Its certificate is self-signed, so
 * clients need gateway mode and {@code -DCOSMOS.EMULATOR_SERVER_CERTIFICATE_VALIDATION_DISABLED=true}.
 *
 * <p>Thread-safe. The caller must close it; it also ends with the JVM, however that ends.
 */
public final class CosmosServer implements AutoCloseable {

    private static final String ENDPOINT = "SAFEBUNNY_COSMOS_ENDPOINT";
    private static final String KEY = "SAFEBUNNY_COSMOS_KEY";
    private static final String PACKAGE = "@vercel/cosmosdb-server"; // the lock file pins the version
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration STOP = Duration.ofSeconds(10);

    private final URI endpoint;
    private final String key;
    private final @Nullable Path folder;
    private final @Nullable Process process;
    private final HttpClient client = SelfSigned.client();

    private CosmosServer(URI endpoint, String key, @Nullable Path folder, @Nullable Process process) {
        this.endpoint = endpoint;
        this.key = key;
        this.folder = folder;
        this.process = process;
    }

    /**
     * Opens the account that the environment names, or else starts a private server; returns when it answers.
     *
     * @throws DatabaseUnavailableException if there is no Node.js, the package cannot be installed or the server does not answer
     */
    public static CosmosServer start() {
        String given = System.getenv(ENDPOINT);
        if (given == null || given.isBlank()) {
            return startPrivate();
        }
        String givenKey = System.getenv(KEY);
        if (givenKey == null || givenKey.isBlank()) {
            throw new DatabaseUnavailableException(
                    ENDPOINT + " is set and " + KEY + " is not. Set both, or none for a private server.");
        }
        return new CosmosServer(URI.create(given), givenKey, null, null);
    }

    /** Starts a private server, which can be killed, no matter what the environment names. */
    public static CosmosServer startPrivate() {
        Path module = NodePackage.install(
                        CosmosServer.class,
                        "cosmos-server",
                        "Install Node.js and npm, or set " + ENDPOINT + " and " + KEY + ".")
                .resolve("node_modules/" + PACKAGE);
        try {
            Path folder = Files.createTempDirectory("safebunny-cosmos-");
            Path script = folder.resolve("cosmos-server.js");
            try (var resource = CosmosServer.class.getResourceAsStream("cosmos-server.js")) {
                Files.copy(Objects.requireNonNull(resource), script);
            }
            int port = Ports.take(1);
            String newKey = newKey();
            ProcessBuilder command = new ProcessBuilder(
                            "node", script.toString(), module.toString(), Integer.toString(port))
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile());
            // not as an argument, which other users can read
            command.environment().put(KEY, newKey);
            Process process = command.start();
            CosmosServer server =
                    new CosmosServer(URI.create("https://127.0.0.1:" + port + "/"), newKey, folder, process);
            // also deletes the folder; the process alone would end with its standard input
            Runtime.getRuntime().addShutdownHook(new Thread(server::close, "end-cosmos-server"));
            server.awaitAnswer(process);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String newKey() {
        byte[] key = new byte[64];
        new SecureRandom().nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    private void awaitAnswer(Process started) {
        try {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(50))
                    .atMost(START)
                    .until(() -> !started.isAlive() || answers());
        } catch (ConditionTimeoutException e) {
            String log = log();
            close();
            throw new DatabaseUnavailableException(
                    "The Cosmos server did not answer within " + START.toSeconds() + " s. See its output.\n" + log, e);
        }
        if (!started.isAlive()) {
            String log = log();
            close();
            throw new DatabaseUnavailableException(
                    "The Cosmos server ended at once. Another Node.js may help; see its output.\n" + log);
        }
    }

    private boolean answers() {
        try {
            HttpRequest request = HttpRequest.newBuilder(endpoint)
                    .timeout(Duration.ofSeconds(2))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() < 500;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    public URI endpoint() {
        return endpoint;
    }

    /** The account's key; a private server has a random one and rejects requests without it. */
    public String key() {
        return key;
    }

    /** Whether this is a private server, which can be killed and paused. */
    public boolean isPrivate() {
        return process != null;
    }

    /** The output of the private server; empty for an account that the environment names. */
    public String log() {
        try {
            return folder == null ? "" : Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the server with SIGKILL; all its data is lost. */
    public void kill() {
        own().destroyForcibly();
        awaitEnd(own());
    }

    /** Freezes the server: connections stay open but get no answers. */
    public void pause() {
        Processes.freeze(() -> List.of(own().pid()));
    }

    /** Resumes a frozen server. */
    public void resume() {
        Processes.signal("CONT", Stream.of(own().pid()));
    }

    private Process own() {
        if (process == null) {
            throw new IllegalStateException("Only a private server can be killed or paused, not the account in "
                    + ENDPOINT + ". Start it with CosmosServer.startPrivate().");
        }
        return process;
    }

    private static void awaitEnd(Process ending) {
        try {
            if (!ending.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new DatabaseUnavailableException(
                        "The Cosmos server outlived SIGKILL by " + STOP.toSeconds() + " s [pid=" + ending.pid() + "].");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends a private server and deletes its folder; a repeat is harmless. */
    @Override
    public void close() {
        if (process != null && folder != null) {
            process.destroyForcibly();
            awaitEnd(process);
            try {
                Files.deleteIfExists(folder.resolve("cosmos-server.js"));
                Files.deleteIfExists(folder.resolve("log"));
                Files.deleteIfExists(folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
