// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.accounts;

import io.safebunny.proof.demo.command.UsageException;
import io.safebunny.test.database.MySqlServer;
import io.safebunny.test.database.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.h2.tools.Server;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** The ledger's database, and one connection to it for counting. */
final class LedgerDatabase implements AutoCloseable {

    /** Makes H2 write a commit to the file before it returns, rather than up to half a second later. */
    private static final String DURABLE = ";WRITE_DELAY=0";

    private static final String SCHEMA = "schema.sql";
    private static final String MYSQL_SCHEMA = "schema-mysql.sql";

    private final Map<String, String> properties;
    private final SingleConnectionDataSource connection;
    private final Runnable closer;

    private LedgerDatabase(Map<String, String> properties, SingleConnectionDataSource connection, Runnable closer) {
        this(properties, connection, SCHEMA, closer);
    }

    /** @param schema class path location of the script that creates the tables */
    private LedgerDatabase(
            Map<String, String> properties, SingleConnectionDataSource connection, String schema, Runnable closer) {
        this.properties = properties;
        this.connection = connection;
        this.closer = closer;
        try {
            // created before the nodes start, because two of them creating the tables at once would conflict
            new ResourceDatabasePopulator(new ClassPathResource(schema)).execute(connection);
        } catch (DataAccessException e) {
            close();
            throw new UsageException("the database does not answer as expected. Check --jdbc: "
                    + e.getMostSpecificCause().getMessage());
        }
    }

    private static LedgerDatabase h2(String location, String url, String password, Runnable closer) {
        SingleConnectionDataSource connection = new SingleConnectionDataSource(location, "sa", password, true);
        return new LedgerDatabase(properties(url, "sa", password), connection, () -> {
            JdbcClient.create(connection).sql("shutdown").update();
            connection.destroy();
            closer.run();
        });
    }

    /** An in-memory database, reachable only within this process. */
    static LedgerDatabase inThisProcess() {
        String url = "jdbc:h2:mem:ledger-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        return h2(url, url, "", () -> {});
    }

    /** A database in a temporary folder, served to other processes of this machine as long as this one runs. */
    static LedgerDatabase served() {
        String password = UUID.randomUUID().toString();
        try {
            Path folder = Files.createTempDirectory("order-saga-");
            System.setProperty("h2.bindAddress", "127.0.0.1");
            Server server = Server.createTcpServer("-tcpPort", "0", "-baseDir", folder.toString());
            LedgerDatabase database = h2("jdbc:h2:" + folder.resolve("saga") + DURABLE, "", password, () -> {
                server.stop();
                delete(folder);
            });
            server.start();
            database.properties.put(
                    "spring.datasource.url", "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/./saga" + DURABLE);
            return database;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new UsageException("H2 cannot be served on a free port. Check the reason: " + e.getMessage());
        }
    }

    /** A private PostgreSQL server that ends with this process. */
    static LedgerDatabase privatePostgres() {
        PostgresServer server = PostgresServer.start();
        return at(server.jdbcUrl(), SCHEMA, server::close);
    }

    static LedgerDatabase postgres(String url) {
        return at(url, SCHEMA, () -> {});
    }

    /** A private MySQL server that ends with this process. */
    static LedgerDatabase privateMySql() {
        MySqlServer server = MySqlServer.start();
        return at(server.jdbcUrl(), MYSQL_SCHEMA, server::close);
    }

    static LedgerDatabase mySql(String url) {
        return at(url, MYSQL_SCHEMA, () -> {});
    }

    private static LedgerDatabase at(String url, String schema, Runnable closer) {
        SingleConnectionDataSource connection = new SingleConnectionDataSource(url, true);
        Map<String, String> properties = new LinkedHashMap<>(
                Map.of("spring.datasource.url", url, "spring.sql.init.schema-locations", "classpath:" + schema));
        return new LedgerDatabase(properties, connection, schema, () -> {
            connection.destroy();
            closer.run();
        });
    }

    private static Map<String, String> properties(String url, String user, String password) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("spring.datasource.url", url);
        properties.put("spring.datasource.username", user);
        properties.put("spring.datasource.password", password);
        return properties;
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Spring Boot properties of the connection. */
    Map<String, String> properties() {
        return properties;
    }

    /** A client for use by one thread. */
    JdbcClient client() {
        return JdbcClient.create(connection);
    }

    /** Deletes a database that the demo created; a given one is left alone. */
    @Override
    public void close() {
        closer.run();
    }
}
