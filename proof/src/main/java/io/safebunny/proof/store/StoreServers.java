// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.store;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.test.database.CosmosProxy;
import io.safebunny.test.database.CosmosServer;
import io.safebunny.test.database.MariaDbServer;
import io.safebunny.test.database.MySqlServer;
import io.safebunny.test.database.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import org.h2.tools.Server;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.util.FileSystemUtils;

/** The servers of the stores, each started on first use. Not thread-safe. */
public final class StoreServers implements AutoCloseable {

    private final Map<StoreKind, StoreAddress> addresses = new EnumMap<>(StoreKind.class);
    private final Deque<Runnable> ends = new ArrayDeque<>();
    private final String credentials = ";USER=sa;PASSWORD=" + UUID.randomUUID();

    /** Address of the store, in which the tables have been created. */
    public StoreAddress address(StoreKind kind, boolean transactional) {
        StoreAddress address = addresses.computeIfAbsent(kind, this::start);
        return new StoreAddress(kind, transactional, address.url(), address.key());
    }

    private StoreAddress start(StoreKind kind) {
        return switch (kind) {
            case MEMORY -> new StoreAddress(kind, false, "", "");
            case H2 -> withTables(kind, startH2());
            case H2_FILE -> new StoreAddress(kind, false, files(), "");
            case POSTGRESQL -> {
                PostgresServer server = PostgresServer.start();
                ends.push(server::close);
                yield withTables(kind, server.jdbcUrl());
            }
            case MYSQL -> {
                MySqlServer server = MySqlServer.start();
                ends.push(server::close);
                yield withTables(kind, server.jdbcUrl());
            }
            case MARIADB -> {
                MariaDbServer server = MariaDbServer.start();
                ends.push(server::close);
                yield withTables(kind, server.jdbcUrl());
            }
            case COSMOS -> {
                CosmosServer server = CosmosServer.start();
                ends.push(server::close);
                yield new StoreAddress(kind, false, endpoint(server).toString(), server.key());
            }
        };
    }

    /** The private server has no batches of its own; what gives it some runs in this process, which is never halted. */
    private URI endpoint(CosmosServer server) {
        if (!server.isPrivate()) {
            return server.endpoint();
        }
        CosmosProxy proxy = CosmosProxy.before(server);
        ends.push(proxy::close);
        return proxy.endpoint();
    }

    /** Runs in this process, which is never halted. */
    private String startH2() {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        try {
            String database = "mem:crash;DB_CLOSE_DELAY=-1" + credentials;
            // created here, because a server that may create databases does so for everybody, and a database can run
            // programs
            DriverManager.getConnection("jdbc:h2:" + database).close();
            Server server = Server.createTcpServer("-tcpPort", "0", "-ifExists").start();
            ends.push(server::stop);
            return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + database;
        } catch (SQLException e) {
            throw new IllegalStateException("H2 does not start. Check that a port is free.", e);
        }
    }

    /** URL with the settings that the guide requires. */
    private String files() {
        try {
            Path folder = Files.createTempDirectory("safebunny-h2-");
            ends.push(() -> FileSystemUtils.deleteRecursively(folder.toFile()));
            return "jdbc:h2:" + folder + "/%s;WRITE_DELAY=0" + credentials;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address for one run: unchanged, or, if each run has its own file, that file with the tables created. */
    public static StoreAddress forRun(StoreAddress address, String name) {
        if (!address.kind().isOfOneProcess()) {
            return address;
        }
        StoreAddress file = address.ofRun(name);
        StoreAddress unused = withTables(file.kind(), file.url());
        return file;
    }

    private static StoreAddress withTables(StoreKind kind, String url) {
        try (HikariDataSource pool = OpenStore.pool(url)) {
            String script =
                    JdbcSchema.of(pool, JdbcStoreOptions.DEFAULT_TABLE_PREFIX).script();
            new ResourceDatabasePopulator(new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8))).execute(pool);
            new JdbcTemplate(pool).execute(WorkTable.DEFINITION);
        }
        return new StoreAddress(kind, false, url, "");
    }

    @Override
    public void close() {
        ends.forEach(Runnable::run);
        ends.clear();
    }
}
