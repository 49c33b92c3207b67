// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.failure.BrowsingException;
import io.safebunny.rabbit.consume.RabbitBrowsing;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.proxy.TcpProxy;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The connection is lost with the acknowledgement of a copy that was moved: it is in both queues, and nobody may be told otherwise. */
@Timeout(60)
class LostRemovalIT {

    private final String queue = "removal-" + UUID.randomUUID();
    private final RabbitBench bench = new RabbitBench();
    private final TcpProxy proxy =
            TcpProxy.to(TestBroker.shared().host(), TestBroker.shared().port());
    private final SystemTimeline timeline = new SystemTimeline("removal");

    @BeforeEach
    void setAside() {
        bench.onBroker(channel -> {
            channel.queueDeclare(queue, true, false, false, Map.of());
            channel.basicPublish("", queue, null, new byte[2]);
            channel.basicPublish("", queue, null, new byte[2]);
        });
    }

    @AfterEach
    void cleanUp() {
        bench.onBroker(channel -> channel.queueDelete(queue));
        proxy.close();
        bench.close();
        timeline.close();
    }

    private Connection connect() throws Exception {
        ConnectionFactory through = bench.client();
        through.setHost("127.0.0.1");
        through.setPort(proxy.port());
        through.setAutomaticRecoveryEnabled(false);
        return through.newConnection();
    }

    @Test
    void anAcknowledgementThatWasWrittenAndNotReceivedIsNoRemoval() throws Exception {
        Connection connection = connect();
        try (BrowsedQueue browsed = RabbitBrowsing.open(connection, queue, timeline)) {
            Delivery removed = Objects.requireNonNull(browsed.next());
            removed.acknowledge();
            Delivery lost = Objects.requireNonNull(browsed.next());
            proxy.cutAtNextAcknowledgement();

            assertThatExceptionOfType(BrowsingException.class)
                    .isThrownBy(lost::acknowledge)
                    .withMessageContaining("SB-5015");

            assertThat(lost.isOpen()).isFalse();
        } finally {
            connection.abort();
        }
        bench.onBroker(channel -> {
            // the broker puts it back as soon as it knows that the connection is gone
            await().until(() -> channel.messageCount(queue) == 1);
        });
    }
}
