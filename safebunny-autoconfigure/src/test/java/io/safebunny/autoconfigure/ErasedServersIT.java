// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.encryption.BunnySubjects;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.database.PostgresServer;
import io.safebunny.test.encryption.MemoryKeys;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Messages of forty people wait in queues, in the poison queue, in the outbox, in the store and in the states of sagas of a real broker and
 * PostgreSQL, and four of them are erased: nothing of theirs is read any more, and nothing of the others is lost.
 */
@Timeout(300)
class ErasedServersIT {

    private static final Duration SOON = Duration.ofMinutes(2);
    private static final List<String> PEOPLE =
            IntStream.range(0, 40).mapToObj("person-%s"::formatted).toList();
    private static final Set<String> ERASED = Set.of("person-3", "person-14", "person-15", "person-39");
    /** In which a message that is not handled in the first part waits for the second. */
    private static final List<String> WAYS = List.of("retried", "poison", "outbox", "scheduled");

    private static final List<String> TABLES = List.of(
            "safebunny_message", "safebunny_step", "safebunny_companion", "safebunny_outbox", "safebunny_subject_key");

    @Encrypted(key = "payments", subject = "customer")
    record Charged(String way, String customer, String canary) {}

    /** Says nothing of the person, as what it wakes does. */
    record Next(String sagaId) {}

    @Encrypted(key = "payments", subject = "customer")
    record Begun(String customer, String canary) {}

    private static String canary(String customer) {
        return "canary of " + customer + '!';
    }

    @BunnySaga
    static class CustomerSaga {

        @Encrypted(key = "payments", subject = "customer")
        record State(String customer, String canary) {}

        final Set<String> read = ConcurrentHashMap.newKeySet();

        @Starts
        @BunnyHandler(from = "shop")
        State on(Begun begun) {
            return new State(begun.customer(), begun.canary());
        }

        @BunnyHandler(from = "shop")
        void on(Next next, State state) {
            read.add(state.canary());
        }
    }

    static class Handlers {

        private final boolean works;
        final Set<String> read = ConcurrentHashMap.newKeySet();

        Handlers(boolean works) {
            this.works = works;
        }

        @BunnyHandler(from = "shop")
        void on(Charged charged, MessageContext context) {
            String authorized = context.once("authorize", String.class, charged::canary);
            read.add(charged.way() + " " + authorized);
            if (!works) {
                throw charged.way().equals("poison")
                        ? new PoisonMessageException("not repaired")
                        : new IllegalStateException("later");
            }
        }
    }

    private static ApplicationContextRunner node(
            RabbitNode rabbit, PostgresServer database, KeyProvider keys, boolean works) {
        TestBroker broker = rabbit.broker();
        return Nodes.bare()
                .withConfiguration(AutoConfigurations.of(
                        RabbitAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(DataSource.class, () -> new DriverManagerDataSource(database.jdbcUrl()))
                .withBean(KeyProvider.class, () -> keys)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(Handlers.class, () -> new Handlers(works))
                .withBean(CustomerSaga.class)
                .withPropertyValues(
                        "safebunny.node=shop",
                        "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                        "spring.rabbitmq.username=" + broker.username(),
                        "spring.rabbitmq.password=" + broker.password(),
                        "spring.rabbitmq.virtual-host=" + broker.virtualHost(),
                        "safebunny.publisher.timeout=3s",
                        "safebunny.store.type=jdbc",
                        "safebunny.store.jdbc.initialize-schema=always",
                        "safebunny.scheduling.enabled=true",
                        "safebunny.retry.max-retries=0",
                        "safebunny.delayed-retry.delays=30s,30s,30s,30s");
    }

    private static void fill(AssertableApplicationContext context, RabbitNode rabbit) {
        Bunny bunny = context.getBean(Bunny.class);
        for (String person : PEOPLE) {
            bunny.publish(new Charged("retried", person, canary(person)));
            bunny.publish(new Charged("poison", person, canary(person)));
            bunny.publish(
                    new Begun(person, canary(person)), PublishOptions.none().withCorrelationId(person));
            String unused = context.getBean(ScheduledMessages.class)
                    .schedule(
                            new Charged("scheduled", person, canary(person)),
                            PublishOptions.none().withDelay(Duration.ofSeconds(40)));
        }
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(context.getBean(Handlers.class).read).hasSizeGreaterThanOrEqualTo(2 * PEOPLE.size());
            assertThat(poison(context)).hasSizeGreaterThanOrEqualTo(PEOPLE.size());
            assertThat(PEOPLE).allSatisfy(person -> assertThat(
                            context.getBean(Sagas.class).find(person))
                    .hasSize(1));
        });
        rabbit.pause(); // what is published now stays in the outbox
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status ->
                        PEOPLE.forEach(person -> bunny.publish(new Charged("outbox", person, canary(person)))));
    }

    private static List<PoisonedMessage> poison(AssertableApplicationContext context) {
        return context.getBean(PoisonMessages.class)
                .list(PoisonFilter.all().withLimit(1_000))
                .messages();
    }

    private static Stream<String> ofOthers() {
        return PEOPLE.stream().filter(person -> !ERASED.contains(person));
    }

    private static Set<String> expected() {
        return ofOthers()
                .flatMap(person -> WAYS.stream().map(way -> way + " " + canary(person)))
                .collect(Collectors.toSet());
    }

    private static void assertOthersAlone(AssertableApplicationContext context) {
        PoisonMessages poison = context.getBean(PoisonMessages.class);
        assertThat(poison(context).stream().filter(copy -> copy.explanation().contains("its person was erased on")))
                .hasSizeGreaterThanOrEqualTo(ERASED.size());
        String unused = poison.replay(PoisonRequest.of(PoisonFilter.all().withLimit(1_000), "tester", "repaired"))
                .id();
        PEOPLE.forEach(person -> context.getBean(Bunny.class)
                .publish(new Next(person), PublishOptions.none().withCorrelationId(person)));

        await().atMost(SOON).untilAsserted(() -> {
            assertThat(context.getBean(Handlers.class).read).containsExactlyInAnyOrderElementsOf(expected());
            assertThat(context.getBean(CustomerSaga.class).read)
                    .containsExactlyInAnyOrderElementsOf(
                            ofOthers().map(ErasedServersIT::canary).toList());
            assertThat(shredded(context, "Charged")).isEqualTo(ERASED.size() * WAYS.size());
            assertThat(shredded(context, "Next")).isEqualTo(ERASED.size());
            assertThat(poison(context)).isEmpty();
        });
    }

    private static double shredded(AssertableApplicationContext context, String type) {
        return context.getBean(MeterRegistry.class)
                .get("safebunny.shredded")
                .tag("type", type)
                .counter()
                .count();
    }

    @Test
    void nothingOfThoseWhoAreErasedIsReadAndNothingOfOthersIsLost() {
        KeyProvider keys = MemoryKeys.of("payments", "subjects");
        try (RabbitNode rabbit = RabbitNode.start();
                PostgresServer database = PostgresServer.start()) {
            node(rabbit, database, keys, false).run(context -> {
                assertThat(context).hasNotFailed();
                try {
                    fill(context, rabbit);
                    for (String person : ERASED) {
                        assertThat(context.getBean(BunnySubjects.class)
                                        .erase(person)
                                        .hadKey())
                                .isTrue();
                    }
                } finally {
                    context.getSourceApplicationContext().close();
                    rabbit.resume();
                }
            });
            JdbcTemplate sql = new JdbcTemplate(new DriverManagerDataSource(database.jdbcUrl()));
            for (String table : TABLES) {
                assertThat(sql.queryForList("select t::text from %s t".formatted(table), String.class))
                        .as(table)
                        .isNotEmpty()
                        .noneMatch(row -> row.contains("canary of"));
            }
            node(rabbit, database, keys, true).run(ErasedServersIT::assertOthersAlone);
        }
    }
}
