// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import io.safebunny.test.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A private MySQL server, without Docker: from the root folder that {@code SAFEBUNNY_MYSQL_ROOT} names, or the one that {@code bin/database
 * install mysql} unpacked, on Linux, x86_64. Needs a driver on the class path. Thread-safe. The caller must close it; it also ends with the
 * JVM.
 */
public final class MySqlServer implements AutoCloseable {

    private static final String ROOT = "SAFEBUNNY_MYSQL_ROOT";
    private static final String PROGRAM = "usr/sbin/mysqld";

    /**
     * Script with the arguments root and folder. Starts the program with the loader and libraries of its root, so that it needs no chroot,
     * and can run as a user who may not read the root.
     */
    private static final String COPY = """
            umask 022
            libraries=$1/usr/lib/x86_64-linux-gnu loader=$1/lib64/ld-linux-x86-64.so.2
            mkdir "$2/lib" "$2/share"
            cp -L "$loader" "$2/lib/"
            "$loader" --library-path "$libraries" --list "$1/%s" | sed -n 's/.*=> \\(\\/.*\\) (0x.*/\\1/p' \\
                | while read -r library; do cp -L "$library" "$2/lib/"; done
            cp "$1/%1$s" "$2/"
            cp -r "$1/usr/share/mysql/english" "$1/usr/share/mysql/charsets" "$2/share/"
            """.formatted(PROGRAM);

    // grants everything to root from localhost, and drops the root without a password
    private static final String USER = """
            create user root@'127.0.0.1' identified by '%s';
            grant all on *.* to root@'127.0.0.1' with grant option;
            drop user root@localhost;
            create database test;
            """;

    private final int port = Ports.take(1);
    private final String password = UUID.randomUUID().toString();
    private final Server server;

    private MySqlServer(ServerFolder folder) {
        List<String> command = new ArrayList<>(List.of(
                folder.path().resolve("lib/ld-linux-x86-64.so.2").toString(),
                "--library-path",
                folder.path().resolve("lib").toString(),
                folder.path().resolve("mysqld").toString(),
                "--no-defaults",
                "--basedir=" + folder.path(),
                "--lc-messages-dir=" + folder.path().resolve("share"),
                "--character-sets-dir=" + folder.path().resolve("share/charsets"),
                "--datadir=" + folder.path().resolve("data"),
                "--secure-file-priv=",
                "--performance-schema=OFF",
                "--innodb-buffer-pool-size=64M",
                "--innodb-redo-log-capacity=64M"));
        initialize(folder, command, USER.formatted(password));
        command.addAll(List.of(
                "--mysqlx=OFF",
                "--skip-name-resolve",
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + folder.path().resolve("socket"),
                "--pid-file=" + folder.path().resolve("pid")));
        this.server = new Server(
                folder, command, () -> DriverManager.getConnection(jdbcUrl()).close());
    }

    /** Starts a server and returns when it accepts connections. */
    public static MySqlServer start() {
        Path root = root(System.getenv(ROOT));
        ServerFolder folder = ServerFolder.create("mysql");
        folder.run(
                List.of("sh", "-ec", COPY, "sh", root.toString(), folder.path().toString()), null);
        MySqlServer mySql = new MySqlServer(folder);
        mySql.server.start();
        return mySql;
    }

    /** @param named the root that the environment names; if it cannot be used, tests fail rather than use another one */
    static Path root(@Nullable String named) {
        boolean isNamed = named != null && !named.isBlank();
        Path root = (isNamed ? Path.of(named) : CacheFolder.ofTheUser().path().resolve("mysql")).toAbsolutePath();
        if (!Files.exists(root.resolve(PROGRAM))) {
            throw new DatabaseUnavailableException("No MySQL server to start [root=" + root + "]: there is no "
                    + PROGRAM + " in it. Run bin/database install mysql and set " + ROOT + " to what it prints.");
        }
        return root;
    }

    /** Creates the system tables. Skips disk flushes, which would take half of the time; durability does not matter here. */
    private static void initialize(ServerFolder folder, List<String> command, String user) {
        try {
            Path script = folder.secret("initialize.sql", user);
            List<String> initialize = new ArrayList<>(command);
            initialize.addAll(List.of(
                    "--initialize-insecure",
                    "--init-file=" + script,
                    "--skip-log-bin",
                    "--skip-innodb-doublewrite",
                    "--innodb-flush-log-at-trx-commit=0",
                    "--innodb-flush-method=nosync"));
            folder.run(ServerFolder.unprivileged(initialize), null);
            Files.delete(script);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** JDBC URL for MySQL's own driver and the user {@code root}, who has all rights, with this server's random password. */
    public String jdbcUrl() {
        return "jdbc:mysql://127.0.0.1:" + port + "/test?user=root&password=" + password;
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
}
