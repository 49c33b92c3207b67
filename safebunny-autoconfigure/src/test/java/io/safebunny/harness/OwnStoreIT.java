// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import io.safebunny.test.database.PostgresServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A test has the transactions that the application has in production, without asking for them. */
@Tag("once")
@BunnyTest(
        classes = OwnStoreIT.Application.class,
        properties = {
            "safebunny.node=shop",
            "safebunny.store.jdbc.initialize-schema=always",
            "safebunny.retry.initial-interval=1ms"
        })
class OwnStoreIT {

    private static final PostgresServer DATABASE = PostgresServer.start();

    @Autowired
    private JdbcTemplate database;

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    record OrderPlaced(String order) {}

    static class Orders {

        private final JdbcTemplate database;
        private int tries;

        Orders(JdbcTemplate database) {
            this.database = database;
        }

        @BunnyHandler(from = "storefront")
        void on(OrderPlaced placed) {
            database.update("insert into orders values (?)", placed.order());
            if (++tries == 1) {
                throw new IllegalStateException("after its first row");
            }
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        DataSource dataSource() {
            return new DriverManagerDataSource(DATABASE.jdbcUrl());
        }

        @Bean
        JdbcTemplate jdbcTemplate(DataSource dataSource) {
            JdbcTemplate database = new JdbcTemplate(dataSource);
            database.execute("create table orders (id varchar(40))");
            return database;
        }

        @Bean
        Orders orders(JdbcTemplate database) {
            return new Orders(database);
        }
    }

    @Test
    void theRowOfAFailedTryIsRolledBack(BunnyHarness bunny) {
        bunny.as("storefront").publish(new OrderPlaced("7"));

        bunny.runUntilIdle();

        assertThat(bunny.messages()).handled(OrderPlaced.class, 1);
        assertThat(database.queryForObject("select count(*) from orders", Integer.class))
                .isEqualTo(1);
    }
}
