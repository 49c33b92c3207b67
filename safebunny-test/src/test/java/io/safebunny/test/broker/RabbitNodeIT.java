// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.safebunny.test.broker.server.NodePlan;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RabbitNodeIT {

    private static final String QUEUE = "kept";

    private static @Nullable RabbitNode shared;

    @BeforeAll
    static void start() {
        InstalledServer.assume();
        shared = RabbitNode.start();
    }

    @AfterAll
    static void close() {
        if (shared != null) {
            shared.close();
        }
    }

    private static RabbitNode node() {
        return Objects.requireNonNull(shared);
    }

    @Test
    void keepsAConfirmedMessageOfAQuorumQueueThroughAKill() throws Exception {
        RabbitNode node = node();
        publish(node, "before the kill");
        node.awaitRegistered("/", QUEUE);
        node.kill();
        assertThat(Amqp.answers(node.broker().uri())).isFalse();
        node.restart();
        assertThat(take(node)).isEqualTo("before the kill");
    }

    @Test
    void closingLeavesNoProcessNoListenerAndNoFolder() throws Exception {
        RabbitNode node = RabbitNode.start();
        assertThat(processesOf(node)).isNotEmpty();
        node.close();
        node.close();
        assertThat(node.folder()).doesNotExist();
        await().atMost(Duration.ofSeconds(10)).until(() -> processesOf(node).isEmpty());
        assertThatThrownBy(() -> new Socket(
                                InetAddress.getLoopbackAddress(), node.broker().port())
                        .close())
                .isInstanceOf(IOException.class);
    }

    @Test
    void takesOtherPortsWhenAnotherProcessHasTakenOneOfThose() throws Exception {
        NodePlan taken = NodePlan.alone(RabbitNode.installedServer(), false);
        NodePlan free = NodePlan.alone(RabbitNode.installedServer(), false);
        try (ServerSocket another = new ServerSocket()) {
            another.bind(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), taken.ports().distribution()));
            try (RabbitNode node = RabbitNode.start(List.of(taken, free).iterator()::next)) {
                assertThat(node.broker().port()).isEqualTo(free.ports().amqp());
            }
        }
        assertThat(Path.of("erl_crash.dump")).doesNotExist();
    }

    @Test
    void aPausedNodeIsSilentUntilItIsResumed() {
        RabbitNode node = node();
        node.pause();
        assertThat(Amqp.answers(node.broker().uri())).isFalse();
        node.resume();
        assertThat(Amqp.answers(node.broker().uri())).isTrue();
    }

    @Test
    void anOrderlyRestartKeepsPortsVirtualHostsAndMessages() throws Exception {
        RabbitNode node = node();
        TestBroker tenant = node.broker().createVirtualHost("tenant a");
        publish(node, "before the restart");
        node.restart();
        assertThat(take(node)).isEqualTo("before the restart");
        assertThat(tenant.virtualHost()).isEqualTo("tenant a");
        assertThat(tenant.version()).isEqualTo(node.broker().version()).matches("\\d+\\.\\d+\\.\\d+.*");
    }

    private static void publish(RabbitNode node, String text) throws Exception {
        try (Connection connection = connect(node);
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", "quorum"));
            channel.confirmSelect();
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            channel.basicPublish("", QUEUE, true, MessageProperties.PERSISTENT_BASIC, body);
            channel.waitForConfirmsOrDie(10_000);
        }
    }

    private static String take(RabbitNode node) throws Exception {
        try (Connection connection = connect(node);
                Channel channel = connection.createChannel()) {
            // after a start the queue elects its leader first
            GetResponse response = await().atMost(Duration.ofSeconds(30))
                    .until(() -> channel.basicGet(QUEUE, true), found -> found != null);
            return new String(response.getBody(), StandardCharsets.UTF_8);
        }
    }

    private static Connection connect(RabbitNode node) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(node.broker().uri());
        return factory.newConnection();
    }

    /** Everything that runs with the node's name in its environment, epmd and Erlang's helpers among it. */
    private static List<Path> processesOf(RabbitNode node) throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .filter(path -> path.getFileName().toString().matches("\\d+"))
                    .filter(path -> runsAs(node.name(), path.resolve("environ")))
                    .toList();
        }
    }

    private static boolean runsAs(String nodeName, Path environ) {
        try {
            return new String(Files.readAllBytes(environ), StandardCharsets.UTF_8).contains(nodeName);
        } catch (IOException notOursOrGone) {
            return false;
        }
    }
}
