// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.test.database.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Messages go from the poison queue of a real broker to its archive and back; their records and steps are in PostgreSQL. */
@Tag("once")
class PoisonArchiveIT {

    private static final PostgresServer DATABASE = PostgresServer.start();
    private static final int MESSAGES = 20;

    private final StoreNode node = new StoreNode(DATABASE);
    private final ApplicationContextRunner runner = node.runner()
            .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
            .withBean(Courier.class);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    /** What was looked at is back in its queue some time after the look. */
    private void awaitDepths(int poison, int archive) {
        Awaitility.await().untilAsserted(() -> {
            try (Connection connection = node.amqp().newConnection()) {
                Channel channel = connection.createChannel();
                assertThat(channel.messageCount(node.name + "-poison")).isEqualTo(poison);
                assertThat(channel.messageCount(node.name + "-poison-archive")).isEqualTo(archive);
            }
        });
    }

    private List<String> setAside(Bunny bunny, int messages) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            ids.add(bunny.publish(new OrderPlaced(String.valueOf(i))).messageId());
        }
        awaitDepths(messages, 0);
        return ids;
    }

    private static PoisonRequest all(String reason) {
        return PoisonRequest.of(PoisonFilter.all(), "test", reason);
    }

    private static PoisonOperation.Progress ended(PoisonOperation operation) throws InterruptedException {
        PoisonOperation.Progress progress = operation.await(Duration.ofSeconds(20));
        assertThat(progress.failure()).isNull();
        assertThat(progress.state()).isEqualTo(PoisonOperation.RunState.ENDED);
        return progress;
    }

    /** Without what changes from one look to the next: the verdict. */
    private static List<String> seen(List<PoisonedMessage> copies) {
        return copies.stream()
                .map(copy -> "%s %s %s %s %s %s %s"
                        .formatted(
                                copy.messageId(),
                                copy.correlationId(),
                                copy.digest(),
                                copy.reason(),
                                copy.poisonedAt(),
                                copy.exceptionMessage(),
                                copy.headers()))
                .sorted()
                .toList();
    }

    @Test
    void whatIsDiscardedAndRestoredIsReplayedAndEachMessageHandledOnce() {
        runner.withPropertyValues("safebunny.poison.archive-ttl=365d").run(context -> {
            PoisonMessages poison = context.getBean(PoisonMessages.class);
            Courier courier = context.getBean(Courier.class);
            List<String> ids = setAside(context.getBean(Bunny.class), MESSAGES);
            List<String> before = seen(poison.list(PoisonFilter.all()).messages());
            awaitDepths(MESSAGES, 0);

            assertThat(ended(poison.discard(all("no longer wanted"))).moved()).isEqualTo(MESSAGES);

            assertThat(poison.list(PoisonFilter.all()).messages()).isEmpty();
            List<PoisonedMessage> archived = poison.archived(PoisonFilter.all()).messages();
            assertThat(seen(archived)).isEqualTo(before);
            assertThat(archived).extracting(PoisonedMessage::verdict).containsOnly(Verdict.RUN);
            assertThat(ended(poison.replay(all("there is nothing"))).matched()).isZero();
            awaitDepths(0, MESSAGES);

            assertThat(ended(poison.restore(all("wanted after all"))).moved()).isEqualTo(MESSAGES);

            assertThat(poison.archived(PoisonFilter.all()).messages()).isEmpty();
            assertThat(seen(poison.list(PoisonFilter.all()).messages())).isEqualTo(before);
            awaitDepths(MESSAGES, 0);
            courier.works = true;
            assertThat(ended(poison.replay(all("the courier is back"))).moved()).isEqualTo(MESSAGES);
            Awaitility.await().until(() -> courier.delivered.size() >= MESSAGES);
            Awaitility.await().until(() -> node.states().stream().allMatch("DISPATCHED"::equals));

            assertThat(courier.delivered).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(courier.charges).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(poison.list(PoisonFilter.all()).messages()).isEmpty();
        });
    }

    @Test
    void theArchiveKeepsNothingLongerThanItsTimeToLive() {
        runner.withPropertyValues("safebunny.poison.archive-ttl=1s").run(context -> {
            PoisonMessages poison = context.getBean(PoisonMessages.class);
            List<String> unused = setAside(context.getBean(Bunny.class), 1);

            assertThat(ended(poison.discard(all("no longer wanted"))).moved()).isEqualTo(1);

            Awaitility.await()
                    .until(() -> poison.archived(PoisonFilter.all()).messages().isEmpty());
            assertThat(ended(poison.restore(all("too late"))).matched()).isZero();
        });
    }

    static final class Courier {

        private final List<String> charges = new CopyOnWriteArrayList<>();
        private final List<String> delivered = new CopyOnWriteArrayList<>();
        private volatile boolean works;

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order, MessageContext context) {
            context.once("charge", () -> charges.add(context.messageId()));
            if (!works) {
                throw new PoisonMessageException("no courier");
            }
            delivered.add(context.messageId());
        }
    }
}
