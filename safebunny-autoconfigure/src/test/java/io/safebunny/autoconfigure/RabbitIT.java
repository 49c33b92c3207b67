// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.rabbit.preflight.TopologyWatch;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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

    /** It may be wrong about this broker, so it is no matter of health. */
    @Test
    void retriesThatWaitLongerThanBrokersDoByDefaultAreToldAtTheStart() {
        runner.withBean(Handler.class)
                .withPropertyValues("safebunny.retry.initial-interval=15m", "safebunny.retry.max-interval=15m")
                .run(context -> {
                    TopologyWatch watch = context.getBean(TopologyWatch.class);
                    Awaitility.await().untilAsserted(() -> assertThat(watch.seen())
                            .isNotNull()
                            .extracting(TopologyWatch.Seen::findings, InstanceOfAssertFactories.LIST)
                            .singleElement(InstanceOfAssertFactories.STRING)
                            .contains("Queue '" + node + "-OrderPlaced'", "takes a delivery back after PT30M"));
                    assertThat(context.getBean(CompositeHealthContributor.class).getContributor("topology"))
                            .isNull();
                });
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
    void whatIsGivenUpIsToldToOtherToolsOnceIfTheyAreToBeTold() {
        CachingConnectionFactory connections = new CachingConnectionFactory(broker.host(), broker.port());
        connections.setUsername(broker.username());
        connections.setPassword(broker.password());
        connections.setVirtualHost(broker.virtualHost());
        RabbitTemplate tool = new RabbitTemplate(connections);
        String queue = Objects.requireNonNull(tool.execute(channel -> {
            channel.exchangeDeclare("safebunny.events", "topic", true);
            String declared =
                    channel.queueDeclare("", false, true, false, Map.of()).getQueue();
            channel.queueBind(declared, "safebunny.events", node + ".*");
            return declared;
        }));
        runner.withBean(Failing.class)
                .withPropertyValues(
                        "safebunny.events.publish=true",
                        "safebunny.retry.max-retries=0",
                        "safebunny.delayed-retry.delays=")
                .run(context -> {
                    context.getBean(Bunny.class).publish(new OrderPlaced("1"));
                    context.getBean(Bunny.class).publish(new OrderPlaced("2"));

                    Set<String> ids = new TreeSet<>();
                    for (int i = 0; i < 2; i++) {
                        Message event = Objects.requireNonNull(tool.receive(queue, 10_000), "no event");
                        JsonNode told = new JsonMapper().readTree(event.getBody());
                        assertThat(event.getMessageProperties().getReceivedRoutingKey())
                                .isEqualTo(node + ".OrderPlaced");
                        assertThat(event.getMessageProperties().getType()).isEqualTo("MessageGivenUp");
                        assertThat(told.path("reason").asString()).isEqualTo("handler-failed");
                        assertThat(told.path("exceptionType").asString())
                                .isEqualTo(PoisonMessageException.class.getName());
                        assertThat(told.toString()).doesNotContain("secret");
                        ids.add(told.path("messageId").asString());
                    }
                    assertThat(ids).hasSize(2);
                });
        assertThat(tool.receive(queue)).as("a third event").isNull();
        connections.destroy();
    }

    static class Failing {
        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced payload) {
            throw new PoisonMessageException("secret");
        }
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
