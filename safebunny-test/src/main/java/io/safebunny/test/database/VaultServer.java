// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import io.safebunny.test.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A private OpenBao or HashiCorp Vault with its data in memory, without Docker: the program that {@code SAFEBUNNY_VAULT_PROGRAM} names, or the
 * one that {@code bin/vault install} unpacked, on Linux. No secrets engine of yours is enabled yet. Thread-safe. The caller must close it; it
 * also ends with the JVM.
 */
public final class VaultServer implements AutoCloseable {

    private static final String PROGRAM = "SAFEBUNNY_VAULT_PROGRAM";
    private static final Pattern UNSEAL_KEY = Pattern.compile("Unseal Key: (\\S+)");

    private final int port = Ports.take(1);
    private final String token = UUID.randomUUID().toString();
    private final ServerFolder folder;
    private final Server server;

    private VaultServer(ServerFolder folder, Path program) {
        this.folder = folder;
        this.server = new Server(
                folder,
                List.of(
                        program.toString(),
                        "server",
                        "-dev",
                        "-dev-no-store-token", // it would become that of the user's own commands
                        "-dev-root-token-id=" + token,
                        "-dev-listen-address=127.0.0.1:" + port),
                this::requireReady);
    }

    /** Starts a server and returns when it answers. */
    public static VaultServer start() {
        Path program = program(System.getenv(PROGRAM));
        ServerFolder folder = ServerFolder.create("vault");
        VaultServer vault = new VaultServer(folder, copied(program, folder));
        vault.server.start();
        return vault;
    }

    /** @param named the program that the environment names; if it cannot be used, tests fail rather than use another one */
    static Path program(@Nullable String named) {
        boolean isNamed = named != null && !named.isBlank();
        Path program =
                (isNamed ? Path.of(named) : CacheFolder.ofTheUser().path().resolve("openbao/bao")).toAbsolutePath();
        if (!Files.isExecutable(program)) {
            throw new DatabaseUnavailableException("No OpenBao server to start [program=" + program
                    + "]: there is no such program. Run bin/vault install and set " + PROGRAM + " to what it prints.");
        }
        return program;
    }

    /** For the user that runs it, who may not read the folder of whoever runs the tests. */
    private static Path copied(Path program, ServerFolder folder) {
        try {
            Path copy = Files.copy(program, folder.path().resolve("server"));
            return Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("r-xr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void requireReady() throws IOException {
        HttpURLConnection health =
                (HttpURLConnection) uri().resolve("/v1/sys/health").toURL().openConnection();
        health.setConnectTimeout(1_000);
        health.setReadTimeout(1_000);
        if (health.getResponseCode() != 200) {
            throw new IOException("not ready yet");
        }
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** A random one, which has all rights. */
    public String rootToken() {
        return token;
    }

    /** Opens the server again after a client has called {@code sys/seal}: the {@code key} of {@code sys/unseal}. */
    public String unsealKey() {
        try {
            Matcher key = UNSEAL_KEY.matcher(Files.readString(folder.log()));
            if (!key.find()) {
                throw new IllegalStateException("The server has not told its unseal key");
            }
            return key.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Freezes the server: connections stay open but get no answers. */
    public void pause() {
        server.freeze();
    }

    /** Resumes a frozen server. */
    public void resume() {
        server.resume();
    }

    /** Ends the server, and with it all that it had; a repeat is harmless. */
    @Override
    public void close() {
        server.close();
    }
}
