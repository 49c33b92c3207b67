// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** Three nodes and a quorum queue with a member on each. A test that leaves them whole leaves them to the next one. */
@Timeout(300)
@TestMethodOrder(OrderAnnotation.class)
class ClusterIT {

    private static @Nullable RabbitCluster left;

    private final String queue = "replicated-" + UUID.randomUUID();
    private boolean isWhole;

    @SuppressWarnings("NullAway.Init")
    private RabbitCluster cluster;

    @BeforeAll
    static void needsAnInstalledServer() {
        InstalledServer.assume();
    }

    @BeforeEach
    void start() throws Exception {
        cluster = left == null ? RabbitCluster.start(3) : left;
        left = null;
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
        }
        cluster.nodes().forEach(node -> node.awaitRegistered("/", queue));
        cluster.awaitMembers("/", queue, 3);
    }

    @AfterEach
    void leave() {
        if (isWhole) {
            left = cluster;
        } else {
            cluster.close();
        }
    }

    @AfterAll
    static void close() {
        if (left != null) {
            left.close();
        }
    }

    /** Even the one to which everybody connects first. */
    @Test
    @Order(1)
    void takesMessagesWhileOneNodeIsDown() throws Exception {
        RabbitNode victim = cluster.nodes().get(0);
        victim.kill();
        publish();
        cluster.awaitMembers("/", queue, 2);
        victim.restart();
        cluster.awaitMembers("/", queue, 3);
        assertHolds(1);
        isWhole = true;
    }

    @Test
    @Order(2)
    void comesBackWithItsMessagesAfterAllNodesWereKilled() throws Exception {
        publish();
        cluster.nodes().forEach(RabbitNode::kill);
        cluster.restart();
        cluster.awaitMembers("/", queue, 3);
        assertHolds(1);
        isWhole = true;
    }

    @Test
    @Order(3)
    void oneNodeOfAMnesiaClusterStartsWithoutTheOthers() throws Exception {
        RabbitNode first = cluster.nodes().get(0);
        if (!first.broker().version().startsWith("3.")) {
            isWhole = true;
            Assumptions.abort("with Khepri a node needs a majority to start");
        }
        cluster.nodes().forEach(RabbitNode::kill);
        first.restart();
        assertThat(Amqp.answers(first.broker().uri())).isTrue();

        cluster.nodes().get(1).restart();
        cluster.awaitMembers("/", queue, 2);
        publish();
    }

    @Test
    @Order(4)
    void closingLeavesNoFolder() {
        cluster.close();

        assertThat(cluster.nodes()).allSatisfy(node -> assertThat(node.folder()).doesNotExist());
        assertThatThrownBy(() -> cluster.awaitMembers("/", queue, 3)).isInstanceOf(IllegalStateException.class);
    }

    /** Until it is confirmed: the queue may have to elect a leader first. */
    private void publish() {
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
            try (Connection connection = connect();
                    Channel channel = connection.createChannel()) {
                channel.confirmSelect();
                byte[] body = "text".getBytes(StandardCharsets.UTF_8);
                channel.basicPublish("", queue, true, MessageProperties.PERSISTENT_BASIC, body);
                return channel.waitForConfirms(10_000);
            }
        });
    }

    /** Or more, for an attempt whose confirm did not come may have been stored. */
    private void assertHolds(int messages) {
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(() -> {
            try (Connection connection = connect();
                    Channel channel = connection.createChannel()) {
                assertThat(channel.messageCount(queue)).isGreaterThanOrEqualTo(messages);
            }
        });
    }

    private Connection connect() throws Exception {
        RabbitNode any = cluster.nodes().get(0);
        return Amqp.factory(any.broker().uri()).newConnection(Address.parseAddresses(cluster.addresses()));
    }
}
