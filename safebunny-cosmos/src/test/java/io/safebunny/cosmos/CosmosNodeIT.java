// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.broker.TestBroker;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** A node on a broker with this store, and what does not fit into it. */
class CosmosNodeIT {

    private static final List<String> REFUSED =
            List.of("a/b", "a\\b", "a?b", "a#b", "c".repeat(200), "c".repeat(65), "größe", "兎", "🐇", " ", "");
    private static final List<String> TAKEN =
            List.of("c".repeat(64), ":a.B_c-".repeat(9) + "d", ".", "..", "-", "_", ":", "0", "null");

    private final String node = "shop-" + UUID.randomUUID().toString().substring(0, 8);
    private final String database = "database-" + node;
    private final TestBroker broker = broker(node);
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withBean(CosmosClientBuilder.class, CosmosNodeIT::builder)
            .withBean(Handler.class)
            .withPropertyValues(
                    "spring.application.name=" + node,
                    "test.node=" + node,
                    "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                    "spring.rabbitmq.username=" + broker.username(),
                    "spring.rabbitmq.password=" + broker.password(),
                    "spring.rabbitmq.virtual-host=" + broker.virtualHost(),
                    "safebunny.store.type=cosmos",
                    "spring.cloud.azure.cosmos.database=" + database);

    private static CosmosClientBuilder builder() {
        return CosmosAccount.builder(CosmosAccount.server().endpoint());
    }

    /** A virtual host of its own where that is possible, so that nothing is left behind. */
    private static TestBroker broker(String node) {
        TestBroker shared = TestBroker.shared();
        return shared.isPrivate() ? shared.createVirtualHost(node) : shared;
    }

    @AfterEach
    void deleteDatabase() {
        try (CosmosAsyncClient client = builder().buildAsyncClient()) {
            client.getDatabase(database).delete().onErrorComplete().block();
        }
    }

    @Test
    void aStepResultOfTwoMegabytesSetsTheMessageAside() {
        runner.run(context -> {
            Handler handler = context.getBean(Handler.class);

            String id = context.getBean(Bunny.class)
                    .publish(new Download("42"), PublishOptions.none().withCorrelationId("c-1"))
                    .messageId();

            try (Connection connection = connection()) {
                GetResponse message = poisoned(connection.createChannel());
                assertThat(message.getProps().getMessageId()).isEqualTo(id);
                assertThat(header(message, "sb-poison-reason")).isEqualTo("too-large");
                assertThat(header(message, "x-exception-message"))
                        .contains(
                                "The record of message " + id,
                                "is too large",
                                "limit=" + CosmosMessageStore.MAX_DOCUMENT_SIZE);
                assertThat(message.getMessageCount()).isZero();
            }
            assertThat(handler.steps).hasValue(1);
            assertThat(handler.received).isEmpty();
            MessageRecord stored =
                    Objects.requireNonNull(context.getBean(MessageStore.class).find(new RecordKey("c-1", id)));
            assertThat(stored.state()).isEqualTo(RecordState.POISONED);
            assertThat(stored.steps()).isEmpty();
        });
    }

    @Test
    void aCorrelationIdThatCannotBeHeldIsRefusedBeforeItIsSent() {
        runner.run(context -> {
            Bunny bunny = context.getBean(Bunny.class);

            for (String id : REFUSED) {
                assertThatThrownBy(() -> bunny.publish(
                                new Order("odd"), PublishOptions.none().withCorrelationId(id)))
                        .isInstanceOf(InvalidPublicationException.class)
                        .hasMessageContaining("SB-2005 Invalid correlation id");
            }
        });
    }

    @Test
    void aMessageOfAForeignPublisherWithSuchACorrelationIdIsSetAsideUnhandled() {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            Set<String> setAside = new HashSet<>();
            try (Connection connection = connection()) {
                Channel channel = connection.createChannel();
                for (String id : REFUSED) {
                    channel.basicPublish("safebunny", node + "-Order", foreign(id), body());
                }
                while (setAside.size() < REFUSED.size()) {
                    GetResponse message = poisoned(channel);
                    assertThat(header(message, "sb-poison-reason")).isEqualTo("missing-property");
                    assertThat(header(message, "x-exception-message")).contains("[correlation_id");
                    assertThat(setAside.add(message.getProps().getCorrelationId()))
                            .isTrue();
                }
            }
            assertThat(setAside).containsExactlyInAnyOrderElementsOf(REFUSED);
            assertThat(context.getBean(Handler.class).received).isEmpty();
        });
    }

    @Test
    void aCorrelationIdThatIsAllowedIsHandledOnce() {
        runner.run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            Handler handler = context.getBean(Handler.class);

            for (String id : TAKEN) {
                PublishOptions options =
                        PublishOptions.none().withCorrelationId(id).withIdempotencyKey("key");
                bunny.publish(new Order("odd"), options);
                assertThat(handler.received.poll(10, TimeUnit.SECONDS)).isEqualTo(id + " odd");
                bunny.publish(new Order("odd"), options);
            }

            bunny.publish(new Order("plain"));
            assertThat(handler.received.poll(10, TimeUnit.SECONDS)).endsWith(" plain");
            assertThat(handler.received).isEmpty();
        });
    }

    // ---- a plain client

    private Connection connection() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.uri());
        return factory.newConnection("plain-client");
    }

    private GetResponse poisoned(Channel channel) {
        return Objects.requireNonNull(
                Awaitility.await("a message in the poison queue").until(() -> get(channel), Objects::nonNull));
    }

    private @Nullable GetResponse get(Channel channel) throws Exception {
        return channel.basicGet(node + "-poison", true);
    }

    private static String header(GetResponse message, String name) {
        return String.valueOf(message.getProps().getHeaders().get(name));
    }

    private BasicProperties foreign(String correlationId) {
        return new BasicProperties.Builder()
                .messageId(UUID.randomUUID().toString())
                .correlationId(correlationId)
                .type("Order")
                .appId(node)
                .contentType("application/json")
                .build();
    }

    private static byte[] body() {
        return "{\"id\": \"foreign\"}".getBytes(StandardCharsets.UTF_8);
    }

    // ---- the application

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    record Download(String id) {}

    record Order(String id) {}

    static class Handler {

        final AtomicInteger steps = new AtomicInteger();
        final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private final Bunny bunny;

        Handler(Bunny bunny) {
            this.bunny = bunny;
        }

        @BunnyHandler(from = "${test.node}")
        void on(Download download, MessageContext context) {
            bunny.publish(new Order(download.id()));
            context.once("download", String.class, () -> {
                steps.incrementAndGet();
                return "x".repeat(2 << 20);
            });
        }

        /** One after the other, so that what comes last is handled last. */
        @BunnyHandler(from = "${test.node}", prefetch = "1")
        void on(Order order, MessageContext context) {
            received.add(context.correlationId() + " " + order.id());
        }
    }
}
