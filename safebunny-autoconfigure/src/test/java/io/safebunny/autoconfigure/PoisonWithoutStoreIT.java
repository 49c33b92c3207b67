// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.test.database.PostgresServer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The store dies during the last attempt of a message, which fails. */
@Tag("once")
class PoisonWithoutStoreIT {

    private static final PostgresServer DATABASE = PostgresServer.start();
    private static final int LAST = 4; // two deliveries, each with a retry in memory

    private final StoreNode node = new StoreNode(DATABASE);

    private ApplicationContextRunner runner(boolean transactional) {
        return node.runner()
                .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(Handler.class)
                .withPropertyValues(
                        "safebunny.store.jdbc.transactional=" + transactional,
                        "safebunny.dedup.lease=1s",
                        "safebunny.circuit-breaker.wait-duration-in-open-state=1s");
    }

    @AfterEach
    void restart() {
        DATABASE.restart();
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theMessageIsSetAsideOnceAndCanBeReplayed(boolean transactional) {
        runner(transactional).run(context -> {
            Handler handler = context.getBean(Handler.class);

            String id =
                    context.getBean(Bunny.class).publish(new OrderPlaced("42")).messageId();

            try (PoisonQueue poison = node.poisonQueue()) {
                GetResponse message = poison.next();
                assertThat(message.getProps().getMessageId()).isEqualTo(id);
                assertThat(PoisonQueue.header(message, "sb-poison-reason")).isEqualTo("retries-exhausted");
                DATABASE.restart();
                context.getBean(Bunny.class).publish(new OrderPlaced("another"));
                assertThat(handler.handled.next()).isEqualTo(new OrderPlaced("another"));
                assertThat(handler.attempts).hasValue(LAST);

                sendBack(message, message.getProps());

                assertThat(handler.handled.next()).isEqualTo(new OrderPlaced("42"));
                assertThat(handler.attempts).hasValue(LAST + 1);
                Awaitility.await()
                        .untilAsserted(() -> assertThat(node.states()).containsExactly("DISPATCHED", "DISPATCHED"));
                assertThat(poison.waiting()).isZero();
            }
        });
    }

    /** To the store it is a message whose handling was interrupted. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLeftoverCopyIsHandledForTheStoreDoesNotKnow(boolean transactional) {
        runner(transactional).run(context -> {
            Handler handler = context.getBean(Handler.class);

            context.getBean(Bunny.class).publish(new OrderPlaced("42"));

            try (PoisonQueue poison = node.poisonQueue()) {
                GetResponse message = poison.next();
                DATABASE.restart();
                Map<String, Object> headers = new HashMap<>(message.getProps().getHeaders());
                headers.remove("sb-poisoned-at");

                sendBack(message, message.getProps().builder().headers(headers).build());

                assertThat(handler.handled.next()).isEqualTo(new OrderPlaced("42"));
                assertThat(handler.attempts).hasValue(LAST + 1);
                assertThat(poison.waiting()).isZero();
            }
        });
    }

    /** As docs/poison.md has it, when the properties are those of the message. */
    private void sendBack(GetResponse message, BasicProperties properties) throws Exception {
        try (Connection connection = node.amqp().newConnection("operator")) {
            connection
                    .createChannel()
                    .basicPublish(
                            "safebunny.retry",
                            PoisonQueue.header(message, "sb-poison-queue"),
                            properties,
                            message.getBody());
        }
    }

    static class Handler {

        final AtomicInteger attempts = new AtomicInteger();
        final Received<OrderPlaced> handled = new Received<>();

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order) {
            if (order.orderId().equals("42")) {
                int attempt = attempts.incrementAndGet();
                if (attempt == LAST) {
                    DATABASE.kill();
                }
                if (attempt <= LAST) {
                    throw new IllegalStateException("on purpose");
                }
            }
            handled.add(order);
        }
    }
}
