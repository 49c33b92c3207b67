// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An operator's tool for one node. */
@Timeout(180)
class NodeControlIT {

    private static RabbitNode node;

    @BeforeAll
    static void start() {
        InstalledServer.assume();
        node = RabbitNode.start();
    }

    @AfterAll
    static void close() {
        if (node != null) {
            node.close();
        }
    }

    @Test
    void returnsWhatTheToolWrites() {
        node.control("add_vhost", "made by hand");

        assertThat(node.control("--silent", "list_vhosts", "name").lines()).contains("/", "made by hand");
    }

    @Test
    void failsWithTheToolsOutput() {
        assertThatThrownBy(() -> node.control("set_user_tags", "nobody-knows", "none"))
                .isInstanceOf(BrokerUnavailableException.class)
                .hasMessageContaining("[command=set_user_tags]")
                .hasMessageContaining("nobody-knows");
    }

    @Test
    void aMemoryAlarmBlocksPublishersUntilItIsCleared() throws Exception {
        try (Connection connection = InstalledServer.connect(node.broker(), "blocked")) {
            AtomicBoolean blocked = new AtomicBoolean();
            connection.addBlockedListener(reason -> blocked.set(true), () -> blocked.set(false));
            Channel channel = connection.createChannel();
            String queue = channel.queueDeclare().getQueue();
            channel.confirmSelect();

            node.memoryAlarm(true);
            channel.basicPublish("", queue, null, new byte[1]);
            await().until(blocked::get);
            node.memoryAlarm(false);
            await().until(() -> !blocked.get());
            channel.waitForConfirmsOrDie(10_000);
        }
    }
}
