// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.BunnyHandler;
import io.safebunny.autoconfigure.Nodes;
import io.safebunny.autoconfigure.OrderPlaced;
import io.safebunny.autoconfigure.lifecycle.EngineLifecycle;
import io.safebunny.test.broker.TestBroker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is on a real broker, and what is not. */
class TopologyCommandIT {

    private static final TestBroker BROKER = TestBroker.shared();
    /** The management API is seconds behind, and each question starts an application. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private final String node = "plan-" + UUID.randomUUID().toString().substring(0, 8);
    private final String queue = node + "-OrderPlaced";

    private record Answer(int status, String text) {}

    private Answer ask(String action, String... more) {
        Answer[] answer = new Answer[1];
        Nodes.bare()
                .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withPropertyValues(
                        "safebunny.topology=" + action,
                        "safebunny.node=" + node,
                        "safebunny.topology.prefix=" + node,
                        "spring.rabbitmq.addresses=" + BROKER.host() + ":" + BROKER.port(),
                        "spring.rabbitmq.username=" + BROKER.username(),
                        "spring.rabbitmq.password=" + BROKER.password(),
                        "spring.rabbitmq.virtual-host=" + BROKER.virtualHost())
                .withPropertyValues(more)
                .withBean(Handler.class)
                .run(context -> {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
                    int status = context.getBean(TopologyCommand.class).run(out, out);
                    assertThat(context.getBean(EngineLifecycle.class).isRunning())
                            .isFalse();
                    answer[0] = new Answer(status, bytes.toString(StandardCharsets.UTF_8));
                });
        return answer[0];
    }

    @Test
    void planSaysWhatIsMissingAndDifferentApplyDeclaresAndNothingIsChangedOtherwise() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(BROKER.uri());
        try (Connection connection = factory.newConnection("plan")) {
            Answer before = ask("plan");
            assertThat(before.status()).isEqualTo(2);
            assertThat(before.text())
                    .contains("+ exchange '%s' (topic) is missing".formatted(node))
                    .contains("+ queue '%s' {".formatted(queue))
                    .contains(" 0 different, 0 not compared, 0 as planned");
            assertThat(exists(connection, queue)).as("after plan").isFalse();

            assertThat(ask("apply").status()).isZero();
            assertThat(exists(connection, queue)).as("after apply").isTrue();
            Answer after = ask("plan");
            assertThat(after.text()).startsWith("0 missing, 0 different, 0 not compared");
            assertThat(after.status()).isZero();

            try (Channel channel = connection.createChannel()) {
                channel.queueDelete(queue);
                channel.queueDeclare(queue, true, false, false, Map.of());
            }
            Answer changed = ask("plan");
            assertThat(changed.status()).isEqualTo(2);
            assertThat(changed.text()).contains("! SB-1201", queue, "0 missing, 1 different");
            assertThat(ask("apply").status()).as("a difference is not removed").isEqualTo(1);
        }
    }

    /** The definitions are those of the declarations: importing them elsewhere leaves nothing to plan. */
    @Test
    void definitionsHoldWhatIsDeclared() {
        JsonNode definitions =
                JsonMapper.shared().readTree(ask("export-definitions").text());

        assertThat(definitions.path("queues").findValuesAsString("name")).contains(queue, node + "-poison");
        assertThat(definitions.path("exchanges").findValuesAsString("name"))
                .contains(node, node + ".retry", node + ".delayed", node + ".later", node + ".control");
        assertThat(definitions.path("bindings").findValuesAsString("routing_key"))
                .contains("desk-OrderPlaced");
    }

    @Test
    void policiesAndBindingsAreLookedAtWhereThereIsAManagementApi() throws Exception {
        Assumptions.assumeTrue(
                BROKER.isPrivate() && BROKER.managementUri().isPresent(), "the broker is not the tests'");
        String management =
                "safebunny.topology.management-uri=" + BROKER.managementUri().orElseThrow();
        assertThat(ask("apply").status()).isZero();
        Answer clean = ask("plan", management);
        assertThat(clean.text()).doesNotContain("!");
        assertThat(clean.status()).isZero();

        BROKER.setPolicy(queue, Map.of("message-ttl", 60_000, "delivery-limit", 3, "max-length", 5));
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(BROKER.uri());
        try (Connection connection = factory.newConnection("plan");
                Channel channel = connection.createChannel()) {
            channel.queueUnbind(queue, node, "desk-OrderPlaced");
            channel.queueBind(queue, node, "old-OrderPlaced");
            Awaitility.await().atMost(SOON).untilAsserted(() -> assertThat(ask("plan", management))
                    .returns(2, Answer::status)
                    .extracting(Answer::text, STRING)
                    .contains("message-ttl=60000 by policy '" + queue + "'")
                    .contains("max-length=5 by policy '" + queue + "': publications are refused while it is full")
                    .contains("delivery-limit=3 by policy '" + queue + "', but this node asks for 20")
                    .contains("not bound to exchange '%s' with key 'desk-OrderPlaced'".formatted(node))
                    .contains("also bound to exchange '%s' with key 'old-OrderPlaced'".formatted(node)));
        } finally {
            BROKER.deletePolicy(queue);
        }
        assertThat(ask("plan", "safebunny.topology.management-uri=http://127.0.0.1:1")
                        .text())
                .contains("Policies and bindings are not checked", "http://127.0.0.1:1");
    }

    @Test
    void inMemoryRetriesAreComparedWithTheAcknowledgementTimeoutOfAPolicy() {
        Assumptions.assumeTrue(
                BROKER.isPrivate() && BROKER.managementUri().isPresent(), "the broker is not the tests'");
        Assumptions.assumeFalse(BROKER.version().startsWith("3."), "before 3.12 no policy can set it");
        String[] minutes = {
            "safebunny.topology.management-uri=" + BROKER.managementUri().orElseThrow(),
            "safebunny.retry.max-retries=2",
            "safebunny.retry.initial-interval=1m",
            "safebunny.retry.max-interval=2m"
        };
        assertThat(ask("apply").status()).isZero();
        assertThat(ask("plan", minutes)).returns(0, Answer::status);

        BROKER.setPolicy(queue, Map.of("consumer-timeout", 180_000));
        try {
            Awaitility.await().atMost(SOON).untilAsserted(() -> assertThat(ask("plan", minutes))
                    .returns(2, Answer::status)
                    .extracting(Answer::text, STRING)
                    .contains("! Queue '" + queue + "': the in-memory retries of ", "Handler.on")
                    .contains(
                            "wait up to PT3M in total", "takes a delivery back after PT3M (by policy '" + queue + "')")
                    .contains("\"consumer-timeout\":360000 in the definition of policy '" + queue + "'"));
            BROKER.setPolicy(queue, Map.of("consumer-timeout", 180_001));
            Awaitility.await().atMost(SOON).untilAsserted(() -> assertThat(ask("plan", minutes))
                    .returns(0, Answer::status));
        } finally {
            BROKER.deletePolicy(queue);
        }
    }

    @Test
    void inMemoryRetriesAreComparedWithTheDefaultWhereThereIsNoManagementApi() {
        assertThat(ask("apply").status()).isZero();

        assertThat(ask("plan", "safebunny.retry.initial-interval=15m", "safebunny.retry.max-interval=15m"))
                .returns(2, Answer::status)
                .extracting(Answer::text, STRING)
                .contains(
                        "wait up to PT30M in total",
                        "takes a delivery back after PT30M (the broker's default; a policy or")
                .contains("rabbitmqctl set_policy -p '" + BROKER.virtualHost() + "' --apply-to queues '" + queue + "'");
    }

    private static boolean exists(Connection connection, String queue) throws Exception {
        Channel channel = connection.createChannel(); // which the broker closes when there is none
        try {
            channel.queueDeclarePassive(queue);
            return true;
        } catch (IOException missing) {
            return false;
        }
    }

    static class Handler {

        @BunnyHandler(from = "desk")
        void on(OrderPlaced order) {}
    }
}
