// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.store;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.cosmos.CosmosContainerOptions;
import io.safebunny.cosmos.CosmosContainers;
import io.safebunny.cosmos.CosmosMessageStore;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.time.Timeline;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * The store of one process, and the table that its handlers write to.
 *
 * @param work the handlers' own table, if it is in the same database and transaction
 * @param database the database of that table
 */
public record OpenStore(
        MessageStore store,
        @Nullable WorkTable work,
        @Nullable DataSource database,
        AutoCloseable connections) implements AutoCloseable {

    private static final Duration RETENTION = Duration.ofDays(7);
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final int CONNECTIONS = 8;
    private static final String COSMOS_DATABASE = "crash";

    /** @param node the node whose records it holds */
    public static OpenStore open(StoreAddress address, String node, Timeline timeline) {
        return open(address, node, timeline, CONNECTIONS);
    }

    /**
     * @param node the node whose records it holds
     * @param connections most at once, if it is a database with connections
     */
    public static OpenStore open(StoreAddress address, String node, Timeline timeline, int connections) {
        return switch (address.kind()) {
            case MEMORY -> new OpenStore(new MemoryMessageStore(timeline, RETENTION), null, null, () -> {});
            case H2, H2_FILE, POSTGRESQL, MYSQL, MARIADB -> openJdbc(address, node, connections);
            case COSMOS -> openCosmos(address, node);
        };
    }

    private static OpenStore openCosmos(StoreAddress address, String node) {
        CosmosAsyncClient client = new CosmosClientBuilder()
                .endpoint(address.url())
                .key(address.key())
                .gatewayMode()
                .endpointDiscoveryEnabled(false)
                .buildAsyncClient();
        CosmosContainerOptions options =
                new CosmosContainerOptions(COSMOS_DATABASE, "safebunny-" + node, true, 1000, false);
        return new OpenStore(
                new CosmosMessageStore(
                        CosmosContainers.open(client, options),
                        Retention.of(RETENTION),
                        TIMEOUT,
                        new SimpleMeterRegistry()),
                null,
                null,
                client);
    }

    private static OpenStore openJdbc(StoreAddress address, String node, int connections) {
        HikariDataSource pool = pool(address.url(), connections);
        JdbcStoreOptions options = JdbcStoreOptions.of(node, RETENTION).withTimeout(TIMEOUT);
        return address.transactional()
                ? new OpenStore(
                        new TransactionalJdbcMessageStore(pool, new JdbcTransactionManager(pool), options),
                        new WorkTable(pool),
                        pool,
                        pool)
                : new OpenStore(new JdbcMessageStore(pool, options), null, null, pool);
    }

    static HikariDataSource pool(String url) {
        return pool(url, CONNECTIONS);
    }

    private static HikariDataSource pool(String url, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    /** Number of the node's publications in the outbox. */
    public int unsent(String node) {
        return database == null
                ? 0
                : JdbcClient.create(database)
                        .sql("select count(*) from safebunny_outbox where node = ?")
                        .param(node)
                        .query(Integer.class)
                        .single();
    }

    @Override
    public void close() {
        try {
            connections.close();
        } catch (Exception e) {
            throw new IllegalStateException("The store cannot be closed. Check the cause.", e);
        }
    }
}
