// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.test.database.PostgresServer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** No store gets to see a correlation id that some store could not hold. */
@Tag("once")
class OddCorrelationIT {

    private static final List<String> REFUSED =
            List.of("a/b", "a\\b", "a?b", "a#b", "c".repeat(200), "c".repeat(65), "größe", "兎", "🐇", " ", "");
    private static final List<String> TAKEN =
            List.of("c".repeat(64), ":a.B_c-".repeat(9) + "d", ".", "..", "-", "_", ":", "0", "null");
    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);

    /** By its type, and whether it is transactional. */
    private ApplicationContextRunner runner(String store) {
        return node.runner()
                .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(Handler.class)
                .withPropertyValues(
                        "safebunny.store.type=" + store.replace(" alone", ""),
                        "safebunny.store.jdbc.transactional=" + store.equals("jdbc"));
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc", "jdbc alone", "memory", "none"})
    void whatCannotBeHeldIsRefusedBeforeItIsSent(String store) {
        runner(store).run(context -> {
            Bunny bunny = context.getBean(Bunny.class);

            for (String id : REFUSED) {
                assertThatThrownBy(() -> bunny.publish(
                                new OrderPlaced("odd"), PublishOptions.none().withCorrelationId(id)))
                        .isInstanceOf(InvalidPublicationException.class)
                        .hasMessageContaining("SB-2005 Invalid correlation id [" + shortened(id) + "]");
            }

            bunny.publish(new OrderPlaced("plain"));
            assertThat(context.getBean(Handler.class).received.next()).endsWith("plain");
            assertThat(context.getBean(Handler.class).received.waiting()).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc", "jdbc alone", "memory", "none"})
    void whatAForeignPublisherSendsWithItIsSetAsideUnhandledWithTheReason(String store) {
        runner(store).run(context -> {
            assertThat(context).hasNotFailed();
            for (String id : REFUSED) {
                publishAsAForeigner(id);
            }

            Set<String> setAside = new HashSet<>();
            try (PoisonQueue poison = node.poisonQueue()) {
                while (setAside.size() < REFUSED.size()) {
                    GetResponse message = poison.next();
                    String id = message.getProps().getCorrelationId();
                    assertThat(PoisonQueue.header(message, "sb-poison-reason")).isEqualTo("missing-property");
                    assertThat(PoisonQueue.header(message, "x-exception-message"))
                            .contains(id.isEmpty() ? "[correlation_id]" : "[correlation_id=" + shortened(id) + "]");
                    assertThat(setAside.add(id)).as("first copy of " + id).isTrue();
                }
                assertThat(poison.waiting()).isZero();
            }
            assertThat(setAside).containsExactlyInAnyOrderElementsOf(REFUSED);
            assertThat(context.getBean(Handler.class).received.waiting()).isZero();
            assertThat(records()).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc", "jdbc alone", "memory"})
    void whatIsAllowedIsHandledOnce(String store) {
        runner(store).run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            Received<String> received = context.getBean(Handler.class).received;

            for (String id : TAKEN) {
                PublishOptions options =
                        PublishOptions.none().withCorrelationId(id).withIdempotencyKey("key");
                bunny.publish(new OrderPlaced("odd"), options);
                assertThat(received.next()).isEqualTo(id + " odd");
                bunny.publish(new OrderPlaced("odd"), options);
            }

            bunny.publish(new OrderPlaced("plain"));
            assertThat(received.next()).endsWith(" plain");
            assertThat(received.waiting()).isZero();
        });
    }

    private int records() {
        return node.count("select count(*) from safebunny_message where node = ?", node.name);
    }

    private static String shortened(String id) {
        return id.length() > 100 ? id.substring(0, 100) + "…" : id;
    }

    private void publishAsAForeigner(String correlationId) throws Exception {
        try (Connection connection = node.amqp().newConnection("foreigner")) {
            BasicProperties properties = new BasicProperties.Builder()
                    .messageId(UUID.randomUUID().toString())
                    .correlationId(correlationId)
                    .type("OrderPlaced")
                    .appId(node.name)
                    .contentType("application/json")
                    .build();
            connection
                    .createChannel()
                    .basicPublish(
                            "safebunny",
                            node.name + "-OrderPlaced",
                            properties,
                            "{\"orderId\": \"foreign\"}".getBytes(UTF_8));
        }
    }

    static class Handler {

        final Received<String> received = new Received<>();

        /** One after the other, so that what comes last is handled last. */
        @BunnyHandler(from = "${test.node}", prefetch = "1")
        void on(OrderPlaced order, MessageContext context) {
            received.add(context.correlationId() + " " + order.orderId());
        }
    }
}
