// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.proxy.TcpProxy;
import io.safebunny.time.SystemTimeline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A handler that does not return, in the worst moments. */
@Timeout(120)
class StuckHandlerIT {

    private final RabbitBench rabbit = new RabbitBench();
    private final TestBroker broker = TestBroker.shared();
    private final String node = "stuck." + UUID.randomUUID().toString().substring(0, 8);
    private final String queue = node + "-Ping";
    private final Topology topology =
            TopologyPlanner.plan(node, List.of(new Subscription("Ping", List.of(node))), TopologyOptions.defaults());
    private final CountDownLatch release = new CountDownLatch(1);
    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final DeliveryHandler handler = delivery -> {
        String id = String.valueOf(delivery.message().message().messageId());
        begun.add(id);
        try {
            if (id.equals("stuck")) {
                release.await();
            }
        } catch (InterruptedException e) {
            return;
        }
        delivery.acknowledge();
    };

    @AfterEach
    void deleteQueues() {
        release.countDown();
        rabbit.deleteQueues(node, "Ping");
        rabbit.close();
    }

    /** It came back three times, so it is first handled alone. */
    @Test
    void aSuspiciousMessageHoldsTheOthersForAWhileOnly() {
        try (SystemTimeline clock = new SystemTimeline("stuck");
                RabbitTransport transport = new RabbitTransport(
                        RabbitTransportOptions.defaults(),
                        new BrokerConnections(
                                rabbit.factory(node + ":publish"),
                                rabbit.factory(node + ":consume"),
                                rabbit.factory(node + ":dead-letters")),
                        rabbit.workers(),
                        new Hurried(clock))) {
            transport.start(topology);
            assertThat(transport.send(message("stuck"), rabbit.deadline())).succeedsWithin(Duration.ofSeconds(10));
            for (int crash = 0; crash < 3; crash++) {
                await().until(this::isReady);
                rabbit.onBroker(
                        channel -> assertThat(channel.basicGet(queue, false)).isNotNull());
            }
            await().until(this::isReady);

            transport.consume(queue, 10, handler);
            await().until(() -> begun.contains("stuck"));
            for (int i = 0; i < 5; i++) {
                assertThat(transport.send(message("quick-" + i), rabbit.deadline()))
                        .succeedsWithin(Duration.ofSeconds(10));
            }

            await().atMost(Duration.ofSeconds(20)).until(() -> begun.size() == 6);
        }
    }

    private boolean isReady() {
        boolean[] ready = {false};
        rabbit.onBroker(channel -> ready[0] = channel.messageCount(queue) == 1);
        return ready[0];
    }

    /** The broker does not answer in time when the type resumes; what runs must not be delivered again for that. */
    @Test
    void whatRunsIsNotDeliveredAgainBecauseResumingTookTooLong() {
        try (TcpProxy proxy = TcpProxy.to(broker.host(), broker.port())) {
            com.rabbitmq.client.ConnectionFactory client = rabbit.client();
            client.setHost("127.0.0.1");
            client.setPort(proxy.port());
            client.setChannelRpcTimeout(1_000);
            try (RabbitTransport transport = rabbit.transport(client)) {
                transport.start(topology);
                Consumption consumption = transport.consume(queue, 10, handler);
                assertThat(transport.send(message("stuck"), rabbit.deadline())).succeedsWithin(Duration.ofSeconds(10));
                await().until(() -> begun.contains("stuck"));
                consumption.pace(Pace.PAUSED);
                await().pollDelay(Duration.ofMillis(500)).until(() -> true); // either way of being late will do

                proxy.stall();
                consumption.pace(Pace.FULL);
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> !transport.status().usable());
                proxy.resume();
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> transport.status().usable());
                release.countDown();
                assertThat(transport.send(message("next"), rabbit.deadline())).succeedsWithin(Duration.ofSeconds(10));

                await().atMost(Duration.ofSeconds(20)).until(() -> begun.contains("next"));
                assertThat(begun).containsExactly("stuck", "next");
            }
        }
    }

    private OutboundMessage message(String id) {
        return RabbitBench.message(node, id, new Route.ToQueue(queue), Duration.ZERO);
    }

    /** The longest waits are a second. */
    private static final class Hurried extends ForwardingTimeline {

        Hurried(Timeline clock) {
            super(clock);
        }

        @Override
        public Cancellable schedule(Purpose purpose, Duration delay, Runnable task) {
            return super.schedule(
                    purpose, delay.compareTo(Duration.ofMinutes(1)) < 0 ? delay : Duration.ofSeconds(1), task);
        }
    }
}
