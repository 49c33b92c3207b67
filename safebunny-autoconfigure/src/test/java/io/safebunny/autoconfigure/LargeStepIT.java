// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.GetResponse;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.test.database.PostgresServer;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A step returns two megabytes. */
@Tag("once")
class LargeStepIT {

    private static final int SIZE = 2 << 20;
    private static final int ABOVE_THE_LIMIT = 9 << 20;
    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);

    private ApplicationContextRunner runner(boolean transactional) {
        return node.runner()
                .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(Handler.class)
                .withPropertyValues("safebunny.store.jdbc.transactional=" + transactional);
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aboveTheLimitOfTheStoreItSetsTheMessageAside(boolean transactional) {
        runner(transactional)
                .withPropertyValues("safebunny.max-message-size=1MB")
                .run(context -> {
                    Handler handler = context.getBean(Handler.class);

                    String id = context.getBean(Bunny.class)
                            .publish(new Download("42", ABOVE_THE_LIMIT))
                            .messageId();

                    try (PoisonQueue poison = node.poisonQueue()) {
                        GetResponse message = poison.next();
                        assertThat(message.getProps().getMessageId()).isEqualTo(id);
                        assertThat(PoisonQueue.header(message, "sb-poison-reason"))
                                .isEqualTo("too-large");
                        assertThat(PoisonQueue.header(message, "x-exception-message"))
                                .contains("The record of message " + id, "is too large", "limit=8388608");
                        assertThat(poison.waiting()).isZero();
                    }
                    assertThat(handler.steps).hasValue(1);
                    assertThat(handler.attempts).hasValue(1);
                    assertThat(node.states()).containsExactly("POISONED");
                    assertThat(handler.begun.waiting()).isZero();
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void belowItTheRetryGetsWhatTheStepReturned(boolean transactional) {
        runner(transactional).run(context -> {
            Handler handler = context.getBean(Handler.class);
            handler.failures.set(3); // in memory, and after a delay

            context.getBean(Bunny.class).publish(new Download("42", SIZE));

            assertThat(handler.received.next()).isEqualTo(new Downloaded("42", SIZE));
            assertThat(handler.steps).hasValue(1);
            assertThat(handler.attempts).hasValue(4);
            Awaitility.await().untilAsserted(() -> assertThat(node.states()).containsOnly("DISPATCHED"));
        });
    }

    record Download(String id, int size) {}

    record Begun(String id) {}

    record Downloaded(String id, int size) {}

    static class Handler {

        final AtomicInteger attempts = new AtomicInteger();
        final AtomicInteger steps = new AtomicInteger();
        final AtomicInteger failures = new AtomicInteger();
        final Received<Downloaded> received = new Received<>();
        final Received<Begun> begun = new Received<>();
        private final Bunny bunny;

        Handler(Bunny bunny) {
            this.bunny = bunny;
        }

        @BunnyHandler(from = "${test.node}")
        void on(Download download, MessageContext context) {
            attempts.incrementAndGet();
            bunny.publish(new Begun(download.id()));
            String content = context.once("download", String.class, () -> {
                steps.incrementAndGet();
                return "x".repeat(download.size());
            });
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("on purpose");
            }
            bunny.publish(new Downloaded(download.id(), content.length()));
        }

        @BunnyHandler(from = "${test.node}")
        void on(Begun payload) {
            begun.add(payload);
        }

        @BunnyHandler(from = "${test.node}")
        void on(Downloaded downloaded) {
            received.add(downloaded);
        }
    }
}
