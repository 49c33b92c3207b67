// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.JdbcMessageStore;
import io.safebunny.jdbc.JdbcSchema;
import io.safebunny.jdbc.JdbcStoreOptions;
import io.safebunny.jdbc.TransactionalJdbcMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.test.database.PostgresServer;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Messages per second out of one prepared quorum queue, alternately without a store, with one in memory, and with PostgreSQL, which
 * this process starts. Arguments: {@code amqp://… [messages] [prefetch] [rounds]}.
 */
public final class StoreComparison {

    private static final Duration RETENTION = Duration.ofDays(7);

    private StoreComparison() {}

    public static void main(String[] arguments) throws Exception {
        int messages = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20_000;
        int prefetch = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 10;
        int rounds = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 5;
        ConsumeComparison consuming = new ConsumeComparison(URI.create(arguments[0]), messages, prefetch);
        try (PostgresServer postgres = PostgresServer.start();
                HikariDataSource pool = pool(postgres, prefetch)) {
            createTable(pool);
            compare(consuming, pool, rounds).forEach(ConsumeComparison::print);
        } finally {
            consuming.close();
        }
        System.exit(0); // threads of drivers
    }

    private static HikariDataSource pool(PostgresServer postgres, int prefetch) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(postgres.jdbcUrl());
        pool.setMaximumPoolSize(prefetch + 2);
        return pool;
    }

    private static void createTable(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    JdbcSchema.of(pool, JdbcStoreOptions.DEFAULT_TABLE_PREFIX).script());
        }
    }

    private static Map<String, List<Double>> compare(ConsumeComparison consuming, HikariDataSource pool, int rounds)
            throws Exception {
        JdbcStoreOptions options = JdbcStoreOptions.of("bench", RETENTION);
        Map<String, Supplier<@Nullable MessageStore>> contenders = new LinkedHashMap<>();
        contenders.put("no store", () -> null);
        contenders.put("memory", () -> new MemoryMessageStore(consuming.timeline(), RETENTION));
        contenders.put("PostgreSQL", () -> new JdbcMessageStore(pool, options));
        contenders.put(
                "PostgreSQL, transactional",
                () -> new TransactionalJdbcMessageStore(pool, new JdbcTransactionManager(pool), options));
        Map<String, List<Double>> results = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) {
            double without = 0;
            for (Map.Entry<String, Supplier<@Nullable MessageStore>> contender : contenders.entrySet()) {
                double measured = measure(consuming, pool, contender.getValue());
                without = without == 0 ? measured : without;
                if (round > 0) { // the first warms up
                    results.computeIfAbsent(contender.getKey(), key -> new ArrayList<>())
                            .add(measured);
                    ConsumeComparison.add(results, contender.getKey() + ": ratio to none", measured / without);
                }
            }
        }
        return results;
    }

    private static double measure(
            ConsumeComparison consuming, HikariDataSource pool, Supplier<@Nullable MessageStore> store)
            throws Exception {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("truncate table safebunny_message");
        }
        return consuming.measure((CountDownLatch done) -> consuming.safeBunny(done, store.get()));
    }
}
