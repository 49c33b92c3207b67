// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.MessageProperties;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.autoconfigure.Nodes;
import io.safebunny.autoconfigure.OrderPlaced;
import io.safebunny.test.broker.RabbitNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;

/** What is left over from an earlier version of a node, on a real broker. */
@Tag("once")
class PruneCommandIT {

    /** Until the management API has figures of a new queue. */
    private static final Duration FIGURES = Duration.ofSeconds(30);

    private static RabbitNode server;

    private final String node = "shop" + UUID.randomUUID().toString().substring(0, 8);
    private String queueType = "quorum";

    @SuppressWarnings("NullAway.Init") // before each
    private String username;

    @SuppressWarnings("NullAway.Init") // before each
    private String password;

    @SuppressWarnings("NullAway.Init") // before each
    private Connection connection;

    @SuppressWarnings("NullAway.Init") // before each
    private Channel channel;

    private record Answer(int status, String text) {}

    @BeforeAll
    static void startBroker() throws IOException {
        assumeTrue(RabbitNode.installedRoot().isPresent(), "Needs an installed RabbitMQ server of its own");
        server = RabbitNode.start();
    }

    @AfterAll
    static void endBroker() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void connect() throws Exception {
        username = server.broker().username();
        password = server.broker().password();
        connection = server.broker().connectionFactory().newConnection("prune");
        channel = connection.createChannel();
    }

    @AfterEach
    void disconnect() throws Exception {
        connection.close();
    }

    private Answer ask(String action, String node, Class<?>... handlers) {
        Answer[] answer = new Answer[1];
        var runner = Nodes.bare()
                .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withPropertyValues(
                        "safebunny.topology=" + action,
                        "safebunny.node=" + node,
                        "safebunny.topology.prefix=" + this.node,
                        "safebunny.topology.queue-type=" + queueType,
                        "safebunny.topology.management-uri="
                                + server.broker().managementUri().orElseThrow(),
                        "spring.rabbitmq.addresses=" + server.broker().host() + ":"
                                + server.broker().port(),
                        "spring.rabbitmq.username=" + username,
                        "spring.rabbitmq.password=" + password);
        for (Class<?> handler : handlers) {
            runner = runner.withBean(handler);
        }
        runner.run(context -> {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
            int status = context.getBean(TopologyCommand.class).run(out, out);
            answer[0] = new Answer(status, bytes.toString(StandardCharsets.UTF_8));
        });
        return answer[0];
    }

    /** The version of the node that handles one type only, from one node. */
    private Answer askNow(String action) {
        return ask(action, node, OfOrders.class);
    }

    /** As {@link #askNow}, once the management API tells this. */
    private String listed(String... expected) {
        String[] text = new String[1];
        Awaitility.await().atMost(FIGURES).untilAsserted(() -> {
            Answer answer = askNow("prune");
            assertThat(answer)
                    .returns(2, Answer::status)
                    .extracting(Answer::text, STRING)
                    .contains(expected);
            text[0] = answer.text();
        });
        return text[0];
    }

    private String queue(String type) {
        return node + '-' + type;
    }

    private boolean exists(String queue) throws Exception {
        try (Connection another = server.broker().connectionFactory().newConnection("exists")) {
            another.createChannel().queueDeclarePassive(queue);
            return true;
        } catch (IOException missing) {
            return false;
        }
    }

    private void publish(String key) throws Exception {
        publish(node, key);
    }

    private void publish(String exchange, String key) throws Exception {
        channel.confirmSelect();
        channel.basicPublish(exchange, key, MessageProperties.PERSISTENT_BASIC, new byte[] {'{', '}'});
        channel.waitForConfirmsOrDie(5_000);
    }

    @Test
    void whatIsEmptyIsDeletedAndWhatHoldsMessagesIsUnboundAndKeptUntilItIsEmpty() throws Exception {
        String neighbour = node + "-eu";
        assertThat(ask("apply", node, OfOrdersOfTwo.class, OfOld.class, OfGone.class, OfLost.class)
                        .status())
                .isZero();
        assertThat(ask("apply", neighbour, OfOld.class, OfGone.class).status()).isZero();
        publish("desk-Gone");
        publish("desk-Gone");
        publish("desk-Lost");

        String listed = listed(
                "- queue '%s' with 4 bindings: it is empty".formatted(queue("Old")),
                "! queue '%s': its 4 bindings would be removed, and it would be kept: 2 messages wait"
                        .formatted(queue("Gone")),
                "1 messages wait");
        assertThat(listed)
                .contains("binding of queue '%s' to exchange '%s' with key 'web-OrderPlaced'"
                        .formatted(queue("OrderPlaced"), node))
                .contains("Gone is handled in '%s-Gone' now. To move them".formatted(neighbour))
                .contains("No queue takes Lost now", "rabbitmqctl delete_queue -p '/' '%s'".formatted(queue("Lost")))
                .contains("2 bindings and 3 queues are left over, 0 are left alone. Nothing was changed")
                .doesNotContain("queue '" + neighbour, "poison", "dead-letters", "desk-OrderPlaced");
        assertThat(exists(queue("Old"))).as("after a list").isTrue();

        Answer applied = askNow("prune-apply");
        assertThat(applied.text())
                .contains("- queue '%s': deleted".formatted(queue("Old")))
                .contains("! queue '%s' is unbound, and kept until it is empty: 2 messages wait, 0 are unacknowledged"
                        .formatted(queue("Gone")))
                .contains("2 are left over or left alone");
        assertThat(applied.status()).isEqualTo(2);
        assertThat(exists(queue("Old"))).isFalse();

        for (String key : new String[] {"desk-Gone", "desk-Lost", "desk-Old", "web-OrderPlaced", "desk-OrderPlaced"}) {
            publish(key);
        }
        assertThat(channel.messageCount(queue("Gone"))).isEqualTo(2);
        assertThat(channel.messageCount(queue("Lost"))).isEqualTo(1);
        assertThat(channel.messageCount(queue("OrderPlaced"))).isEqualTo(1);
        assertThat(channel.messageCount(neighbour + "-Old")).isEqualTo(1);
        assertThat(channel.messageCount(neighbour + "-Gone")).isEqualTo(3);

        channel.queuePurge(queue("Gone"));
        channel.queuePurge(queue("Lost"));
        Awaitility.await().atMost(FIGURES).untilAsserted(() -> assertThat(
                        askNow("prune").text())
                .contains("queue '%s' with 0 bindings".formatted(queue("Gone")))
                .contains("queue '%s' with 0 bindings".formatted(queue("Lost"))));
        assertThat(askNow("prune-apply")).returns(0, Answer::status);
        assertThat(exists(queue("Gone"))).isFalse();
        assertThat(exists(queue("Lost"))).isFalse();
        assertThat(askNow("prune").text()).startsWith("Nothing is left over");
        assertThat(ask("plan", neighbour, OfOld.class, OfGone.class).status())
                .as("the neighbour's")
                .isZero();
        assertThat(askNow("plan").status()).as("the node's own").isZero();
    }

    @Test
    void whatAnInstanceOfAnotherVersionConsumesKeepsItsBindings() throws Exception {
        assertThat(ask("apply", node, OfOrders.class, OfOld.class).status()).isZero();
        channel.basicConsume(queue("Old"), false, new DefaultConsumer(channel));

        listed("! queue '%s' is kept with its bindings: it has 1 consumers (".formatted(queue("Old")), "handles Old");
        Answer applied = askNow("prune-apply");

        assertThat(applied)
                .returns(2, Answer::status)
                .extracting(Answer::text, STRING)
                .contains("1 consumers");
        publish("desk-Old");
        channel.close();
        Awaitility.await().atMost(FIGURES).until(() -> messages(queue("Old")) == 1);
    }

    private long messages(String queue) throws Exception {
        try (Channel another = connection.createChannel()) {
            return another.messageCount(queue);
        }
    }

    /** Its consumer is gone, as that of an instance that stops, and the broker's figures do not know of the delivery yet. */
    @ParameterizedTest
    @ValueSource(strings = {"quorum", "classic"})
    void whatIsStillInWorkIsNotDeleted(String type) throws Exception {
        queueType = type;
        assertThat(ask("apply", node, OfOrders.class, OfOld.class).status()).isZero();
        listed("- queue '%s' with 4 bindings: it is empty".formatted(queue("Old")));
        publish("desk-Old");
        CountDownLatch delivered = new CountDownLatch(1);
        String consumer = channel.basicConsume(
                queue("Old"), false, (tag, delivery) -> delivered.countDown(), cancelled -> delivered.countDown());
        assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
        channel.basicCancel(consumer);

        Answer applied = askNow("prune-apply");

        assertThat(applied)
                .returns(2, Answer::status)
                .extracting(Answer::text, STRING)
                .contains("kept")
                .doesNotContain(": deleted");
        channel.close();
        Awaitility.await().atMost(FIGURES).until(() -> messages(queue("Old")) == 1);
    }

    /** A neighbour's archive has the name of a queue for the type {@code archive} of this node. */
    @Test
    void whatMayBelongToSomebodyElseIsLeftAlone() throws Exception {
        String node = this.node + "-poison";
        assertThat(ask("apply", this.node, OfOrders.class).status()).isZero();
        assertThat(ask("apply", node, OfOrders.class, OfOld.class).status()).isZero();
        channel.queueBind(node + "-Old", "amq.topic", "#");

        Awaitility.await().atMost(FIGURES).untilAsserted(() -> assertThat(
                        ask("prune", node, OfOrders.class).text())
                .contains("? Queue '%s-archive' is not declared as this node declares".formatted(node))
                .contains("? Queue '%s-Old' is bound to exchange 'amq.topic' with key '#', which no node does"
                        .formatted(node)));
        assertThat(ask("prune-apply", node, OfOrders.class))
                .returns(2, Answer::status)
                .extracting(Answer::text, STRING)
                .doesNotContain(": removed", ": deleted");
        assertThat(exists(this.node + "-poison-archive")).isTrue();
        assertThat(exists(node + "-Old")).isTrue();
        assertThat(ask("plan", this.node, OfOrders.class).status()).isZero();
    }

    @Test
    void whoMayOnlyReadIsToldWhatIsMissingAndNothingIsChanged() throws Exception {
        assertThat(ask("apply", node, OfOrdersOfTwo.class, OfOld.class).status())
                .isZero();
        listed("- queue '%s' with 4 bindings".formatted(queue("Old")));
        username = node + "-reader";
        password = "secret";
        server.control("add_user", username, password);
        server.control("set_user_tags", username, "management");
        server.control("set_permissions", "-p", "/", username, "^$", "^$", ".*");

        assertThat(askNow("prune"))
                .returns(2, Answer::status)
                .extracting(Answer::text, STRING)
                .contains("- queue '%s'".formatted(queue("Old")));
        assertThat(askNow("prune-apply"))
                .returns(1, Answer::status)
                .extracting(Answer::text, STRING)
                .contains("SB-1204", "lacks the configure permission", queue("Old"), "rabbitmqctl set_permissions")
                .doesNotContain(": removed", ": deleted");
        server.control("set_permissions", "-p", "/", username, ".*", "^$", ".*");
        assertThat(askNow("prune-apply"))
                .returns(1, Answer::status)
                .extracting(Answer::text, STRING)
                .contains("SB-1204", "lacks the write permission", "binding of queue")
                .doesNotContain(": removed", ": deleted");
        publish("desk-Old");
        publish("web-OrderPlaced");
        assertThat(messages(queue("Old"))).isEqualTo(1);
        assertThat(messages(queue("OrderPlaced"))).isEqualTo(1);
    }

    /** Of shards, too, and what waits in one is moved to where it would have come from. */
    @Test
    void shardsThatAreGoneAreLeftOverAndWhatWaitsInOneIsHandledByWayOfTheTypesQueue() throws Exception {
        assertThat(ask("apply", node, OfFourShards.class).status()).isZero();
        channel.queueBind(queue("Old.0"), node, "desk-Old"); // by somebody else: no node does
        publish(node + ".own", queue("Old.3"));

        String[] listed = {""};
        Awaitility.await().atMost(FIGURES).untilAsserted(() -> {
            listed[0] = ask("prune", node, OfTwoShards.class).text();
            assertThat(listed[0])
                    .contains("- queue '%s' with 1 bindings: it is empty".formatted(queue("Old.2")))
                    .contains("! queue '%s': its 1 bindings would be removed, and it would be kept: 1 messages wait"
                            .formatted(queue("Old.3")));
        });
        assertThat(listed[0])
                .contains("Old is handled in '%s' now. What is moved comes after later messages"
                        .formatted(queue("Old.in")))
                .contains("\"dest-queue\":\"%s\"".formatted(queue("Old.in")))
                .contains("? Queue '%s' is bound to exchange '%s' with key 'desk-Old', which no node does"
                        .formatted(queue("Old.0"), node))
                .contains("0 bindings and 2 queues are left over, 1 are left alone")
                .doesNotContain(queue("Old.1"));

        assertThat(ask("prune-apply", node, OfTwoShards.class).text())
                .contains("- queue '%s': deleted".formatted(queue("Old.2")))
                .contains("! queue '%s' is unbound, and kept until it is empty: 1 messages wait"
                        .formatted(queue("Old.3")));
        assertThat(exists(queue("Old.2"))).isFalse();
        assertThat(messages(queue("Old.3"))).isEqualTo(1);
        assertThat(exists(queue("Old.1")) && exists(queue("Old.in"))).isTrue();
    }

    static class OfFourShards {
        @BunnyHandler(from = "desk", ordered = true, shards = "4")
        void on(Old old) {}
    }

    static class OfTwoShards {
        @BunnyHandler(from = "desk", ordered = true, shards = "2")
        void on(Old old) {}
    }

    @BunnyMessage("Old")
    record Old(String id) {}

    @BunnyMessage("Gone")
    record Gone(String id) {}

    @BunnyMessage("Lost")
    record Lost(String id) {}

    static class OfOrders {
        @BunnyHandler(from = "desk")
        void on(OrderPlaced order) {}
    }

    static class OfOrdersOfTwo {
        @BunnyHandler(from = {"desk", "web"})
        void on(OrderPlaced order) {}
    }

    static class OfOld {
        @BunnyHandler(from = "desk")
        void on(Old old) {}
    }

    static class OfGone {
        @BunnyHandler(from = "desk")
        void on(Gone gone) {}
    }

    static class OfLost {
        @BunnyHandler(from = "desk")
        void on(Lost lost) {}
    }
}
