// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.database.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Publishing in the application's transactions, with a database and a broker. */
@Tag("once")
class OutboxIT {

    private static final PostgresServer DATABASE = PostgresServer.start();

    private final String node = "shop-" + UUID.randomUUID().toString().substring(0, 8);
    private final TestBroker broker = broker(node);
    private final ApplicationContextRunner runner = Nodes.bare()
            .withConfiguration(AutoConfigurations.of(
                    RabbitAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
            .withBean(DataSource.class, () -> new DriverManagerDataSource(DATABASE.jdbcUrl()))
            .withBean(Handler.class)
            .withPropertyValues(
                    "spring.application.name=" + node,
                    "safebunny.store.jdbc.initialize-schema=always",
                    "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                    "spring.rabbitmq.username=" + broker.username(),
                    "spring.rabbitmq.password=" + broker.password(),
                    "spring.rabbitmq.virtual-host=" + broker.virtualHost(),
                    "safebunny.outbox.relay-interval=100ms",
                    "test.node=" + node);

    private static TransactionTemplate transaction(AssertableApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static int stored(AssertableApplicationContext context) {
        Integer rows = new JdbcTemplate(context.getBean(DataSource.class))
                .queryForObject("select count(*) from safebunny_outbox", Integer.class);
        return rows == null ? 0 : rows;
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @Test
    void aMessageArrivesAfterTheCommitAndNotAfterARollback() {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            Bunny bunny = context.getBean(Bunny.class);
            Received<OrderPlaced> received = context.getBean(Handler.class).received;
            transaction(context).executeWithoutResult(status -> {
                bunny.publish(new OrderPlaced("rolled back"));
                status.setRollbackOnly();
            });
            transaction(context).executeWithoutResult(status -> {
                assertThat(bunny.publishAsync(new OrderPlaced("committed"))).isCompleted();
                assertThat(stored(context)).isEqualTo(1);
            });
            assertThat(received.next()).isEqualTo(new OrderPlaced("committed"));
            Awaitility.await().until(() -> stored(context) == 0);
            bunny.publish(new OrderPlaced("without a transaction"));
            assertThat(received.next()).isEqualTo(new OrderPlaced("without a transaction"));
        });
    }

    @Test
    void aMessageSentLaterStaysInTheTraceOfItsTransaction() {
        Spans spans = new Spans();
        spans.in(runner).run(context -> {
            Observation.createNotStarted("order", context.getBean(ObservationRegistry.class))
                    .observe(() -> transaction(context).executeWithoutResult(status -> context.getBean(Bunny.class)
                            .publish(new OrderPlaced("traced"))));

            SpanData order = spans.named("order");
            String destination = " safebunny:" + node + "-OrderPlaced";
            SpanData created = spans.named("create" + destination);
            assertThat(created.getTraceId()).isEqualTo(order.getTraceId());
            assertThat(created.getParentSpanId()).isEqualTo(order.getSpanId());
            assertThat(List.of(spans.named("send" + destination), spans.named("process " + node + "-OrderPlaced")))
                    .allSatisfy(span -> {
                        assertThat(span.getTraceId()).isEqualTo(order.getTraceId());
                        assertThat(span.getParentSpanId()).isEqualTo(created.getSpanId());
                    });
        });
    }

    @Test
    void whatCouldNotBeSentIsSentByTheNextProcess() {
        runner.withPropertyValues("spring.rabbitmq.addresses=127.0.0.1:1").run(context -> {
            transaction(context)
                    .executeWithoutResult(status -> context.getBean(Bunny.class).publish(new OrderPlaced("42")));
            assertThat(stored(context)).isEqualTo(1);
        });
        runner.run(context -> {
            new JdbcTemplate(context.getBean(DataSource.class))
                    .update("update safebunny_outbox set due_at = created_at");
            assertThat(context.getBean(Handler.class).received.next()).isEqualTo(new OrderPlaced("42"));
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> stored(context) == 0);
        });
    }

    /** A virtual host of its own where that is possible, so that nothing is left behind. */
    private static TestBroker broker(String node) {
        TestBroker shared = TestBroker.shared();
        return shared.isPrivate() ? shared.createVirtualHost(node) : shared;
    }

    static class Handler {
        final Received<OrderPlaced> received = new Received<>();

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced payload) {
            received.add(payload);
        }
    }
}
