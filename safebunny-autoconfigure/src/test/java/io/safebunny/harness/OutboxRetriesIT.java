// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import io.safebunny.test.database.PostgresServer;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What was committed, and could not be sent at once, is work that is left, though a database keeps it and its own time. */
@Tag("once")
@BunnyTest(
        classes = OutboxRetriesIT.Application.class,
        properties = {
            "safebunny.node=shop",
            "safebunny.store.type=jdbc",
            "safebunny.store.jdbc.initialize-schema=always"
        },
        mostSteps = 300)
class OutboxRetriesIT {

    private static final PostgresServer DATABASE = PostgresServer.start();
    private static final Duration RELAY_AFTER = Duration.ofSeconds(10);

    @Autowired
    private Bunny bunny;

    @Autowired
    private Connection connection;

    @Autowired
    private JdbcTemplate database;

    @Autowired
    private PlatformTransactionManager transactions;

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @AfterEach
    void mendTheConnection() {
        connection.refusals.set(0);
    }

    record OrderPlaced(String order) {}

    private void placeOrder() {
        new TransactionTemplate(transactions)
                .executeWithoutResult(status ->
                        bunny.publish(new OrderPlaced(UUID.randomUUID().toString())));
    }

    private @Nullable Integer stored() {
        return database.queryForObject("select count(*) from safebunny_outbox", Integer.class);
    }

    @Test
    void whatIsSentAtOnceTakesNoTime(BunnyHarness harness) {
        Instant before = harness.now();
        placeOrder();

        harness.runUntilIdle();

        assertThat(harness.messages()).handled(OrderPlaced.class, 1);
        assertThat(stored()).isZero();
        assertThat(harness.now()).isEqualTo(before);
    }

    @Test
    void aMessageThatCouldNotBeSentIsSentBeforeTheApplicationIsIdle(BunnyHarness harness) {
        connection.refusals.set(1);
        Instant before = harness.now();
        placeOrder();

        harness.runUntilIdle();

        assertThat(harness.messages()).handled(OrderPlaced.class, 1);
        assertThat(stored()).isZero();
        assertThat(harness.now()).isBetween(before.plus(RELAY_AFTER), before.plus(RELAY_AFTER.multipliedBy(2)));
    }

    @Test
    void itIsTriedAgainForAsLongAsItTakes(BunnyHarness harness) {
        connection.refusals.set(5);
        placeOrder();

        harness.runUntilIdle();

        assertThat(harness.messages()).handled(OrderPlaced.class, 1);
        assertThat(stored()).isZero();
    }

    /** However far the database's clock is behind. */
    @Test
    void itIsSentAfterDaysHavePassedToo(BunnyHarness harness) {
        harness.advance(Duration.ofDays(7));
        connection.refusals.set(2);
        placeOrder();

        harness.runUntilIdle();

        assertThat(harness.messages()).handled(OrderPlaced.class, 1);
    }

    @Test
    void whatCanNeverBeSentEndsTheTest(BunnyHarness harness) {
        connection.refusals.set(Integer.MAX_VALUE);
        placeOrder();

        assertThatThrownBy(harness::runUntilIdle)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("does not become idle")
                .hasMessageContaining("Messages of the outbox are not sent yet [count=1]");
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
            return new JdbcTemplate(dataSource);
        }

        @Bean
        static Connection connection() {
            return new Connection();
        }

        @Bean
        Billing billing() {
            return new Billing();
        }
    }

    static final class Billing {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced placed) {}
    }

    /** Refuses the next messages. */
    static final class Connection implements BeanPostProcessor {

        final AtomicInteger refusals = new AtomicInteger();

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof Transport transport ? new Refusing(transport, refusals) : bean;
        }
    }

    private static final class Refusing extends ForwardingTransport {

        private final AtomicInteger refusals;

        Refusing(Transport transport, AtomicInteger refusals) {
            super(transport);
            this.refusals = refusals;
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            return refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0
                    ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
                    : super.send(message, deadline);
        }
    }
}
