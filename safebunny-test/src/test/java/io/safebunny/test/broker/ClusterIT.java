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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three nodes and a quorum queue with a member on each. */
@Timeout(300)
class ClusterIT {

    private static final String QUEUE = "replicated";

    private RabbitCluster cluster;

    @BeforeAll
    static void needsAnInstalledServer() {
        InstalledServer.assume();
    }

    @BeforeEach
    void start() throws Exception {
        cluster = RabbitCluster.start(3);
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", "quorum"));
        }
        cluster.nodes().forEach(node -> node.awaitRegistered("/", QUEUE));
        cluster.awaitMembers("/", QUEUE, 3);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void takesMessagesWhileAnyOneNodeIsDown() throws Exception {
        int published = 0;
        for (RabbitNode victim : cluster.nodes()) {
            victim.kill();
            publish();
            cluster.awaitMembers("/", QUEUE, 2);
            victim.restart();
            cluster.awaitMembers("/", QUEUE, 3);
            published++;
        }
        assertHolds(published);
    }

    @Test
    void comesBackWithItsMessagesAfterAllNodesWereKilled() throws Exception {
        publish();
        cluster.nodes().forEach(RabbitNode::kill);
        cluster.restart();
        cluster.awaitMembers("/", QUEUE, 3);
        assertHolds(1);
    }

    @Test
    void oneNodeOfAMnesiaClusterStartsWithoutTheOthers() throws Exception {
        RabbitNode first = cluster.nodes().get(0);
        if (!first.broker().version().startsWith("3.")) {
            Assumptions.abort("with Khepri a node needs a majority to start");
        }
        cluster.nodes().forEach(RabbitNode::kill);
        first.restart();
        assertThat(Amqp.answers(first.broker().uri())).isTrue();

        cluster.nodes().get(1).restart();
        cluster.awaitMembers("/", QUEUE, 2);
        publish();
    }

    @Test
    void closingLeavesNoFolder() {
        cluster.close();

        assertThat(cluster.nodes()).allSatisfy(node -> assertThat(node.folder()).doesNotExist());
        assertThatThrownBy(() -> cluster.awaitMembers("/", QUEUE, 3)).isInstanceOf(IllegalStateException.class);
    }

    /** Until it is confirmed: the queue may have to elect a leader first. */
    private void publish() {
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
            try (Connection connection = connect();
                    Channel channel = connection.createChannel()) {
                channel.confirmSelect();
                byte[] body = "text".getBytes(StandardCharsets.UTF_8);
                channel.basicPublish("", QUEUE, true, MessageProperties.PERSISTENT_BASIC, body);
                return channel.waitForConfirms(10_000);
            }
        });
    }

    /** Or more, for an attempt whose confirm did not come may have been stored. */
    private void assertHolds(int messages) {
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(() -> {
            try (Connection connection = connect();
                    Channel channel = connection.createChannel()) {
                assertThat(channel.messageCount(QUEUE)).isGreaterThanOrEqualTo(messages);
            }
        });
    }

    private Connection connect() throws Exception {
        RabbitNode any = cluster.nodes().get(0);
        return Amqp.factory(any.broker().uri()).newConnection(Address.parseAddresses(cluster.addresses()));
    }
}
