// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.database.PostgresServer;
import io.safebunny.test.encryption.MemoryKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
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
 * What is marked is found nowhere on the disks of a real broker and PostgreSQL, in their logs and write-ahead logs included; what goes the
 * same ways and is not marked is found, so the search works.
 */
@Timeout(300)
class EncryptedServersIT {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String SECRET = canary("secret");
    private static final String OPEN = canary("open");
    private static final List<String> TABLES =
            List.of("safebunny_message", "safebunny_step", "safebunny_companion", "safebunny_outbox");

    private static String canary(String name) {
        return name + UUID.randomUUID().toString().replace("-", "");
    }

    @Encrypted(key = "payments")
    record Secret(String way, String text) {}

    record Open(String way, String text) {}

    @Encrypted(key = "payments")
    record SecretLine(int number, String text) {}

    record OpenLine(int number, String text) {}

    @Encrypted(key = "payments")
    record BeginSecret(String text) {}

    record BeginOpen(String text) {}

    @BunnySaga
    @Encrypted(key = "payments")
    static class SecretSaga {
        record SecretState(String text) {}

        @Starts
        @BunnyHandler(from = "shop")
        SecretState on(BeginSecret begin, SagaContext saga) {
            saga.step("only", new Secret("fine", begin.text()), new Secret("undo", begin.text()));
            return new SecretState(begin.text());
        }
    }

    @BunnySaga
    static class OpenSaga {
        record OpenState(String text) {}

        @Starts
        @BunnyHandler(from = "shop")
        OpenState on(BeginOpen begin, SagaContext saga) {
            saga.step("only", new Open("fine", begin.text()), new Open("undo", begin.text()));
            return new OpenState(begin.text());
        }
    }

    static class Handlers {

        final List<String> handled = new CopyOnWriteArrayList<>();

        private void handle(String type, String way, String text, MessageContext context) {
            handled.add(type + " " + way);
            switch (way) {
                case "retried" -> {
                    String unused = context.once("authorise", String.class, () -> text);
                    throw new IllegalStateException("in an hour");
                }
                case "poison" -> throw new PoisonMessageException("not repaired");
                default -> {}
            }
        }

        @BunnyHandler(from = "shop")
        void on(Secret secret, MessageContext context) {
            handle("secret", secret.way(), secret.text(), context);
        }

        @BunnyHandler(from = "shop")
        void on(Open open, MessageContext context) {
            handle("open", open.way(), open.text(), context);
        }

        @BunnyHandler(from = "shop", ordered = true)
        void on(SecretLine line) {
            throw new PoisonMessageException("holds its key");
        }

        @BunnyHandler(from = "shop", ordered = true)
        void on(OpenLine line) {
            throw new PoisonMessageException("holds its key");
        }
    }

    private static ApplicationContextRunner node(RabbitNode rabbit, PostgresServer database) {
        TestBroker broker = rabbit.broker();
        return Nodes.bare()
                .withConfiguration(AutoConfigurations.of(
                        RabbitAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(DataSource.class, () -> new DriverManagerDataSource(database.jdbcUrl()))
                .withBean(KeyProvider.class, () -> MemoryKeys.of("payments"))
                .withBean(Handlers.class)
                .withBean(SecretSaga.class)
                .withBean(OpenSaga.class)
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
                        "safebunny.delayed-retry.delays=1h");
    }

    /** All ways but the outbox; the correlation ids are those of the ways. */
    private static void send(Bunny bunny, ScheduledMessages scheduled, boolean isSecret) {
        String text = isSecret ? SECRET : OPEN;
        for (String way : List.of("retried", "poison", "fine")) {
            bunny.publish(isSecret ? new Secret(way, text) : new Open(way, text));
        }
        bunny.publish(isSecret ? new BeginSecret(text) : new BeginOpen(text), correlation(isSecret));
        for (int number = 0; number < 3; number++) {
            bunny.publish(isSecret ? new SecretLine(number, text) : new OpenLine(number, text), correlation(isSecret));
        }
        String unused = scheduled.schedule(
                isSecret ? new Secret("later", text) : new Open("later", text),
                PublishOptions.none().withDelay(Duration.ofDays(1)));
    }

    private static PublishOptions correlation(boolean isSecret) {
        return PublishOptions.none().withCorrelationId(isSecret ? "secret-1" : "open-1");
    }

    private static void awaitAllWays(AssertableApplicationContext context) {
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(context.getBean(Handlers.class).handled)
                    .contains(
                            "secret retried",
                            "secret poison",
                            "secret fine",
                            "open retried",
                            "open poison",
                            "open fine");
            assertThat(context.getBean(Sagas.class).find("secret-1")).hasSize(1);
            assertThat(context.getBean(Sagas.class).find("open-1")).hasSize(1);
            assertThat(context.getBean(PoisonMessages.class)
                            .list(PoisonFilter.all())
                            .messages())
                    .hasSize(4); // two by themselves, and the first of each line
        });
    }

    @Test
    void whatIsMarkedIsOnNoDisk() {
        try (RabbitNode rabbit = RabbitNode.start();
                PostgresServer database = PostgresServer.start()) {
            JdbcTemplate sql = new JdbcTemplate(new DriverManagerDataSource(database.jdbcUrl()));
            Map<String, String> tables = new LinkedHashMap<>();
            node(rabbit, database).run(context -> {
                assertThat(context).hasNotFailed();
                Bunny bunny = context.getBean(Bunny.class);
                send(bunny, context.getBean(ScheduledMessages.class), true);
                send(bunny, context.getBean(ScheduledMessages.class), false);
                awaitAllWays(context);
                TABLES.forEach(table -> tables.merge(table, text(sql, table), String::concat));

                rabbit.pause(); // what is published now waits in the outbox
                try {
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status -> {
                                bunny.publish(new Secret("outbox", SECRET));
                                bunny.publish(new Open("outbox", OPEN));
                            });
                    TABLES.forEach(table -> tables.merge(table, text(sql, table), String::concat));
                } finally {
                    rabbit.resume();
                }
                await().atMost(SOON).untilAsserted(() -> assertThat(context.getBean(Handlers.class).handled)
                        .contains("secret outbox", "open outbox"));
            });
            sql.execute("checkpoint");
            Path ofDatabase = Path.of(String.valueOf(sql.queryForObject("show data_directory", String.class)));
            Path ofBroker = Objects.requireNonNull(rabbit.log().toAbsolutePath().getParent());

            assertThat(tables).allSatisfy((table, text) -> {
                assertThat(isIn(OPEN, text)).as("control text in " + table).isTrue();
                assertThat(isIn(SECRET, text)).as("marked text in " + table).isFalse();
            });
            assertThat(filesWith(OPEN, ofDatabase)).as("control text").anyMatch(file -> file.contains("pg_wal"));
            assertThat(filesWith(OPEN, ofDatabase)).anyMatch(file -> file.contains("base/"));
            assertThat(filesWith(OPEN, ofBroker)).as("control text").isNotEmpty();
            assertThat(filesWith(SECRET, ofDatabase)).isEmpty();
            assertThat(filesWith(SECRET, ofBroker)).isEmpty();
        }
    }

    private static String text(JdbcTemplate sql, String table) {
        return String.join("\n", sql.queryForList("select t::text from %s t".formatted(table), String.class));
    }

    /** As it is, in hexadecimal, or within any Base64. */
    private static boolean isIn(String canary, String text) {
        byte[] bytes = canary.getBytes(StandardCharsets.UTF_8);
        List<String> forms = new ArrayList<>(List.of(canary, HexFormat.of().formatHex(bytes)));
        for (int before = 0; before < 3; before++) {
            byte[] shifted = new byte[before + bytes.length];
            System.arraycopy(bytes, 0, shifted, before, bytes.length);
            String encoded = Base64.getEncoder().withoutPadding().encodeToString(shifted);
            forms.add(encoded.substring(before == 0 ? 0 : before + 1, shifted.length / 3 * 4));
        }
        return forms.stream().anyMatch(text::contains);
    }

    private static List<String> filesWith(String canary, Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> isIn(canary, content(file)))
                    .map(Path::toString)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String content(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException gone) { // while the server cleans up
            return "";
        }
    }
}
