// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What tests do to a broker that is theirs alone, and what they may not do to one that is not. */
@Timeout(60)
class NodeAdministrationIT {

    private TestBroker broker;

    @BeforeEach
    void virtualHostOfOnesOwn() {
        if (!TestBroker.shared().isPrivate()) {
            Assumptions.abort("the tests' broker is given and not theirs to change: " + TestBroker.shared());
        }
        broker = TestBroker.shared().createVirtualHost("administration-" + UUID.randomUUID());
    }

    @Test
    void closesTheConnectionOfThatNameAndNoOther() throws Exception {
        try (Connection kept = InstalledServer.connect(broker, "kept")) {
            Connection doomed = InstalledServer.connect(broker, "doomed");
            broker.closeConnection("doomed");

            await().until(() -> !doomed.isOpen());
            assertThat(doomed.getCloseReason())
                    .isInstanceOf(ShutdownSignalException.class)
                    .hasMessageContaining("320");
            assertThat(kept.isOpen()).isTrue();
            await().atMost(Duration.ofSeconds(15))
                    .untilAsserted(() -> assertThat(broker.connectionNames()).containsExactly("kept"));
        }
    }

    @Test
    void aPolicyHoldsForItsQueueUntilItIsDeleted() throws Exception {
        try (Connection connection = InstalledServer.connect(broker, "policy")) {
            Channel channel = connection.createChannel();
            for (String queue : new String[] {"short.queue", "short-queue"}) {
                channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
            }
            broker.setPolicy("short.queue", Map.of("max-length", 1));
            await().untilAsserted(() ->
                    assertThat(countAfterTwoMore(channel, "short.queue")).isOne());
            assertThat(countAfterTwoMore(channel, "short-queue")).isEqualTo(2);

            broker.deletePolicy("short.queue");
            broker.deletePolicy("short.queue");
            await().untilAsserted(() ->
                    assertThat(countAfterTwoMore(channel, "short.queue")).isGreaterThan(2));
        }
    }

    @Test
    void refusesToTouchABrokerOfSomebodyElse() {
        TestBroker given = TestBroker.given(URI.create("amqp://guest:secret@127.0.0.1:1"));

        assertThatThrownBy(() -> given.closeConnection("any"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(SharedBroker.GIVEN)
                .hasMessageNotContaining("secret");
    }

    private static long countAfterTwoMore(Channel channel, String queue) throws Exception {
        channel.confirmSelect();
        channel.basicPublish("", queue, null, new byte[1]);
        channel.basicPublish("", queue, null, new byte[1]);
        channel.waitForConfirmsOrDie(10_000);
        return channel.messageCount(queue);
    }
}
