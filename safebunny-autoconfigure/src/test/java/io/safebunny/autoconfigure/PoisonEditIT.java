// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Connection;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.test.database.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A message gets another body in the poison queue of a real broker; its record and its steps are in PostgreSQL. */
@Tag("once")
class PoisonEditIT {

    private static final PostgresServer DATABASE = PostgresServer.start();
    private static final String BAD = "nobody";

    private final StoreNode node = new StoreNode(DATABASE);
    private final ApplicationContextRunner runner = node.runner()
            .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
            .withBean(Courier.class);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyTheNewBodyIsDeliveredAndTheCardChargedOnce(boolean transactional) {
        runner.withPropertyValues("safebunny.store.jdbc.transactional=" + transactional)
                .run(context -> {
                    PoisonMessages poison = context.getBean(PoisonMessages.class);
                    Courier courier = context.getBean(Courier.class);
                    String id = context.getBean(Bunny.class)
                            .publish(new OrderPlaced(BAD))
                            .messageId();
                    PoisonCopy copy = Awaitility.await()
                            .until(() -> poison.find(id), found -> !found.isEmpty())
                            .get(0);

                    PoisonEdit edit = new PoisonEdit(
                            id,
                            copy.message().digest(),
                            "{\"orderId\":\"7\"}".getBytes(StandardCharsets.UTF_8),
                            "test",
                            "there was no address");
                    PoisonOperation edited = poison.edit(edit);

                    assertThat(edited.progress().moved()).isEqualTo(1);
                    assertThat(verdicts(poison)).containsExactly(Verdict.RUN);
                    sendUnedited(copy);
                    awaitVerdicts(poison, Verdict.RUN, Verdict.SUPERSEDED);
                    assertThat(poison.replay(PoisonRequest.of(PoisonFilter.all(), "test", "mended"))
                                    .await(Duration.ofSeconds(20))
                                    .moved())
                            .isEqualTo(1);
                    Awaitility.await().until(() -> courier.delivered.equals(List.of("7")));
                    Awaitility.await().until(() -> node.states().contains("DISPATCHED"));
                    sendUnedited(copy);
                    awaitVerdicts(poison, Verdict.SUPERSEDED, Verdict.SUPERSEDED);

                    assertThat(courier.charges).containsExactly(id);
                    assertThat(courier.delivered).containsExactly("7");
                });
    }

    private static List<Verdict> verdicts(PoisonMessages poison) {
        return poison.list(PoisonFilter.all()).messages().stream()
                .map(PoisonedMessage::verdict)
                .toList();
    }

    private static void awaitVerdicts(PoisonMessages poison, Verdict... verdicts) {
        Awaitility.await().untilAsserted(() -> assertThat(verdicts(poison)).containsExactly(verdicts));
    }

    /** By hand, as docs/poison.md says: the copy as it was before the edit, with the headers by which it was a replay. */
    private void sendUnedited(PoisonCopy copy) throws Exception {
        PoisonedMessage message = copy.message();
        Map<String, Object> headers = new HashMap<>(message.headers());
        headers.put(
                "sb-poisoned-at", Objects.requireNonNull(message.poisonedAt()).toEpochMilli());
        headers.put("sb-poison-version", Objects.requireNonNull(copy.record()).version());
        try (Connection connection = node.amqp().newConnection()) {
            connection
                    .createChannel()
                    .basicPublish(
                            "",
                            message.queue(),
                            new AMQP.BasicProperties.Builder()
                                    .messageId(message.messageId())
                                    .correlationId(message.correlationId())
                                    .type(message.type())
                                    .contentType("application/json")
                                    .headers(headers)
                                    .build(),
                            copy.body());
        }
    }

    static final class Courier {

        private final List<String> charges = new CopyOnWriteArrayList<>();
        private final List<String> delivered = new CopyOnWriteArrayList<>();

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order, MessageContext context) {
            context.once("charge", () -> charges.add(context.messageId()));
            if (order.orderId().equals(BAD)) {
                throw new PoisonMessageException("no address");
            }
            delivered.add(order.orderId());
        }
    }
}
