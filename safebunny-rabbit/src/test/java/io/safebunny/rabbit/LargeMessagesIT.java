// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.DeliveryHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that are large for the memory there is. */
@Timeout(120)
class LargeMessagesIT {

    private static final int MEGABYTE = 1 << 20;
    private static final int MESSAGES = 30;
    private static final int PREFETCH = 10;

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "large." + UUID.randomUUID().toString().substring(0, 8);
    private final Topology topology =
            TopologyPlanner.plan(node, List.of(new Subscription("Ping", List.of(node))), TopologyOptions.defaults());
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger mostHeld = new AtomicInteger();
    private final AtomicInteger handled = new AtomicInteger();
    private final CountDownLatch never = new CountDownLatch(1);
    /** Whether the messages carry references instead of their bodies. */
    private boolean isElsewhere;

    private CountDownLatch together = new CountDownLatch(1);

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Ping");
        rabbit.close();
    }

    private final DeliveryHandler handler = delivery -> {
        mostHeld.accumulateAndGet(held.incrementAndGet(), Math::max);
        together.countDown();
        try {
            assertThat(together.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(never.await(50, TimeUnit.MILLISECONDS)).isFalse(); // works for so long
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        held.decrementAndGet();
        delivery.acknowledge();
        handled.incrementAndGet();
    };

    private void handleWith(long inboundBytes) {
        RabbitTransportOptions options = new RabbitTransportOptions(8, DelayStrategy.LADDER, false, inboundBytes);
        try (RabbitTransport transport = rabbit.transport(node, options)) {
            transport.start(topology);
            publish(MESSAGES, MEGABYTE / 2);
            publish(1, 3 * MEGABYTE);
            transport.consume(node + "-Ping", PREFETCH, handler);

            await().atMost(Duration.ofSeconds(60)).until(() -> handled.get() == MESSAGES + 1);
        }
    }

    private void publish(int messages, int bytes) {
        rabbit.onBroker(channel -> {
            channel.confirmSelect();
            for (int i = 0; i < messages; i++) {
                BasicProperties properties = new BasicProperties.Builder()
                        .headers(isElsewhere ? Map.of("sb-claim-length", (long) bytes) : Map.of())
                        .build();
                channel.basicPublish("", node + "-Ping", properties, new byte[isElsewhere ? 0 : bytes]);
            }
            try {
                channel.waitForConfirms();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** One of them is larger than all there is room for. */
    @Test
    void areTakenOneByOneWhenTheirPrefetchWouldNotFit() {
        handleWith(2 * MEGABYTE);

        assertThat(mostHeld).hasValue(1);
    }

    /** They are in memory when they are handled, and so must all fit that are. */
    @Test
    void areTakenOneByOneAlsoWhenTheirBodiesAreElsewhere() {
        isElsewhere = true;
        handleWith(2 * MEGABYTE);

        assertThat(mostHeld).hasValue(1);
    }

    @Test
    void areTakenAsPrefetchSaysWhenThereIsRoom() {
        together = new CountDownLatch(PREFETCH); // the first ones wait for each other
        handleWith(64 * MEGABYTE);

        assertThat(mostHeld).hasValue(PREFETCH);
    }

    /**
     * Why the client's own limit is not used: it ends the connection, with everything else that is delivered on it, and the
     * broker delivers the message again to the next one.
     */
    @Test
    void wouldEndEveryConnectionWithTheClientsOwnLimit() {
        String queue = node + "-Ping";
        rabbit.onBroker(channel -> channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum")));
        publish(1, 2 * MEGABYTE);
        ConnectionFactory limited = rabbit.client();
        limited.setMaxInboundMessageBodySize(MEGABYTE);
        for (int i = 0; i < 3; i++) {
            AtomicInteger delivered = new AtomicInteger();
            Connection connection = Objects.requireNonNull(
                    rabbit.named("limited-" + i, limited).createConnection().getDelegate());
            try {
                connection
                        .createChannel()
                        .basicConsume(queue, false, (tag, delivery) -> delivered.incrementAndGet(), tag -> {});
            } catch (IOException | ShutdownSignalException e) {
                // it may be over already
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> !connection.isOpen());
            assertThat(delivered).hasValue(0);
        }
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> rabbit.onBroker(
                        channel -> assertThat(channel.messageCount(queue)).isEqualTo(1)));
    }
}
