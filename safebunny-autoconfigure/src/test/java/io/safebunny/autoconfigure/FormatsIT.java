// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.test.broker.TestBroker;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A message in CBOR and one in protobuf on a real broker: published, delayed for a retry, set aside, replayed. */
class FormatsIT {

    @BunnyMessage(format = "cbor")
    record Booked(String order, BigDecimal total) {}

    private static final Booked BOOKED = new Booked("o-1", new BigDecimal("19.90"));

    private static final Struct ARTICLE = Struct.newBuilder()
            .putFields("name", Value.newBuilder().setStringValue("ü").build())
            .putFields("cents", Value.newBuilder().setNumberValue(1990).build())
            .build();

    private final String node = "shop-" + UUID.randomUUID().toString().substring(0, 8);
    private final TestBroker broker = broker(node);
    private final ApplicationContextRunner runner = Nodes.bare()
            .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
            .withPropertyValues(
                    "spring.application.name=" + node,
                    "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                    "spring.rabbitmq.username=" + broker.username(),
                    "spring.rabbitmq.password=" + broker.password(),
                    "spring.rabbitmq.virtual-host=" + broker.virtualHost(),
                    "safebunny.store.type=memory",
                    "safebunny.retry.max-retries=0",
                    "safebunny.delayed-retry.delays=1s",
                    "test.node=" + node)
            .withBean(Handler.class);

    private static TestBroker broker(String node) {
        TestBroker shared = TestBroker.shared();
        return shared.isPrivate() ? shared.createVirtualHost(node) : shared;
    }

    static class Handler {

        final AtomicInteger failed = new AtomicInteger();
        final List<Object> handled = new CopyOnWriteArrayList<>();
        volatile boolean fails = true;

        @BunnyHandler(from = "${test.node}")
        void on(Booked booked) {
            handle(booked);
        }

        @BunnyHandler(from = "${test.node}")
        void on(Struct article) {
            handle(article);
        }

        private void handle(Object message) {
            if (fails) {
                failed.incrementAndGet();
                throw new IllegalStateException("not now");
            }
            handled.add(message);
        }
    }

    @Test
    void messagesAreRetriedSetAsideAndReplayedAsTheyWere() {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            Handler handler = context.getBean(Handler.class);
            PoisonMessages poison = context.getBean(PoisonMessages.class);
            String booked = context.getBean(Bunny.class).publish(BOOKED).messageId();
            String article = context.getBean(Bunny.class).publish(ARTICLE).messageId();

            PoisonCopy inCbor = copy(poison, booked);
            PoisonCopy inProtobuf = copy(poison, article);
            assertThat(handler.failed).hasValue(4);
            assertThat(inCbor.body()).asString(StandardCharsets.UTF_8).isEqualTo("{\"order\":\"o-1\",\"total\":19.90}");
            assertThat(Struct.parseFrom(inProtobuf.body())).isEqualTo(ARTICLE);

            handler.fails = false;
            assertThat(poison.replay(PoisonRequest.of(PoisonFilter.all(), "test", "mended"))
                            .await(Duration.ofSeconds(20))
                            .moved())
                    .isEqualTo(2);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(handler.handled).containsExactlyInAnyOrder(BOOKED, ARTICLE));
        });
    }

    private static PoisonCopy copy(PoisonMessages poison, String id) {
        return Awaitility.await()
                .until(() -> poison.find(id), found -> !found.isEmpty())
                .get(0);
    }
}
