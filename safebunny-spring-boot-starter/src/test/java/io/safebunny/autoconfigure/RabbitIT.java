// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.spi.transport.Transport;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.transport.rabbit.RabbitTransport;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RabbitIT {

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
                    "test.node=" + node);

    @Test
    void handlerGetsAMessageOverTheBroker() {
        runner.withBean(Handler.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Transport.class)).isInstanceOf(RabbitTransport.class);

            context.getBean(Bunny.class).publish(new OrderPlaced("42"));

            assertThat(context.getBean(Handler.class).received.next()).isEqualTo(new OrderPlaced("42"));
            Health health = Healths.part(context, "broker");
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("transport", "rabbit").containsEntry("node", node);
        });
    }

    @Test
    void connectionsAreNamedAndEndWithTheContext() {
        assumeThat(broker.managementUri())
                .as("management of the broker, to list its connections")
                .isPresent();
        ConnectionNames names = new ConnectionNames(broker);
        runner.withBean(Handler.class).run(context -> Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(names.beginningWith(node))
                        .containsExactlyInAnyOrder(node + ":publish", node + ":consume", node + ":dead-letters")));
        Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(names.beginningWith(node))
                .isEmpty());
    }

    @Test
    void wrongCredentialsFailWithTheReason() {
        runner.withPropertyValues("spring.rabbitmq.password=wrong").run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("SB-1202")
                    .hasStackTraceContaining("spring.rabbitmq.password")
                    .cause()
                    .isInstanceOf(ConfigurationException.class);
        });
    }

    @Test
    void unreachableBrokerDoesNotFailTheContextAndIsDown() {
        runner.withBean(Handler.class)
                .withPropertyValues("spring.rabbitmq.addresses=127.0.0.1:1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Health health = Healths.part(context, "broker");
                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health.getDetails().get("detail")).asString().contains("consume");
                });
    }

    @Test
    void theNextAddressIsTakenWhenTheFirstIsDown() {
        runner.withBean(Handler.class)
                .withPropertyValues("spring.rabbitmq.addresses=127.0.0.1:1," + broker.host() + ":" + broker.port())
                .run(RabbitIT::publishesAndHandles);
    }

    @Test
    void addressAndCredentialsComeFromConnectionDetails() {
        runner.withBean(Handler.class)
                .withBean(RabbitConnectionDetails.class, () -> new Details(broker))
                .withPropertyValues(
                        "spring.rabbitmq.addresses=127.0.0.1:1",
                        "spring.rabbitmq.username=nobody",
                        "spring.rabbitmq.password=nothing",
                        "spring.rabbitmq.virtual-host=nowhere")
                .run(RabbitIT::publishesAndHandles);
    }

    @Test
    void aBundleMakesItTls() {
        assumeThat(RabbitNode.installedRoot())
                .as("an installed RabbitMQ server to listen for TLS")
                .isPresent();
        try (RabbitNode secure = RabbitNode.startTls()) {
            runner.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                    .withBean(Handler.class)
                    .withPropertyValues(
                            "spring.rabbitmq.addresses=127.0.0.1:"
                                    + secure.tls().port(),
                            "spring.rabbitmq.username=" + secure.broker().username(),
                            "spring.rabbitmq.password=" + secure.broker().password(),
                            "spring.rabbitmq.virtual-host=/",
                            "spring.rabbitmq.ssl.bundle=broker",
                            "spring.ssl.bundle.pem.broker.truststore.certificate=file:"
                                    + secure.tls().caCertificate())
                    .run(RabbitIT::publishesAndHandles);
        }
    }

    private static void publishesAndHandles(AssertableApplicationContext context) throws InterruptedException {
        assertThat(context).hasNotFailed();
        context.getBean(Bunny.class).publish(new OrderPlaced("42"));
        assertThat(context.getBean(Handler.class).received.next()).isEqualTo(new OrderPlaced("42"));
        assertThat(Healths.part(context, "broker").getStatus()).isEqualTo(Status.UP);
    }

    /** As a container or a cloud gives them. */
    private record Details(TestBroker broker) implements RabbitConnectionDetails {

        @Override
        public List<Address> getAddresses() {
            return List.of(new Address(broker.host(), broker.port()));
        }

        @Override
        public String getUsername() {
            return broker.username();
        }

        @Override
        public String getPassword() {
            return broker.password();
        }

        @Override
        public String getVirtualHost() {
            return broker.virtualHost();
        }
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
