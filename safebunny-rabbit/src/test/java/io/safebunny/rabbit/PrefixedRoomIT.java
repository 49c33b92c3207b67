// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.message.WireMessage;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.harness.VirtualNode;
import io.safebunny.test.harness.broker.RealBroker.Room;
import io.safebunny.test.scheduler.DeterministicScheduler.Limits;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names with a prefix, as on a broker that others run. */
class PrefixedRoomIT {

    private static final String PREFIX = "prefixed-room-it.";
    private static final TopologyOptions OPTIONS = TopologyOptions.defaults().withPrefix(PREFIX + "exchange");
    private static final String QUEUE = "billing-Order";
    private static final String DEAD = Topology.deadLettersOf("billing");

    private final VirtualNode node = new VirtualNode(Limits.DEFAULT, new Room(TestBroker.shared(), PREFIX));
    private final Transport transport = node.transport("billing", OPTIONS);
    private final List<String> deliveries = new ArrayList<>();

    @BeforeEach
    void start() {
        transport.start(
                TopologyPlanner.plan("billing", List.of(new Subscription("Order", List.of("billing"))), OPTIONS));
    }

    @AfterEach
    void close() {
        node.close();
    }

    private void send(Route route) {
        CompletableFuture<Void> sent = transport.send(
                new OutboundMessage(
                        new WireMessage("1", "saga", "Order", "billing", null, null, null, Map.of(), new byte[0]),
                        route,
                        Duration.ZERO),
                Deadline.after(Duration.ofSeconds(30), node.process().timeline()));
        assertThat(sent).isCompleted();
    }

    private void note(Delivery delivery) {
        Object death = delivery.message().message().headers().get("x-death");
        Object from = death instanceof List<?> deaths && deaths.get(0) instanceof Map<?, ?> latest
                ? latest.get("queue")
                : "nowhere";
        deliveries.add("%s from %s".formatted(delivery.message().queue(), from));
    }

    @Test
    void aNodeSeesNothingOfThePrefix() throws Exception {
        transport.consume(QUEUE, 1, delivery -> {
            note(delivery);
            delivery.reject();
        });
        transport.consume(DEAD, 1, delivery -> {
            note(delivery);
            delivery.acknowledge();
        });
        send(new Route.ToSubscribers("billing-Order"));
        send(new Route.ToQueue(QUEUE));

        node.runUntilIdle();

        assertThat(deliveries)
                .containsExactlyInAnyOrder(
                        QUEUE + " from nowhere",
                        QUEUE + " from nowhere",
                        DEAD + " from " + QUEUE,
                        DEAD + " from " + QUEUE);
        assertThat(exists(PREFIX + QUEUE)).isTrue();
        assertThat(exists(QUEUE)).isFalse();
    }

    @Test
    void itsQueuesCanBeLookedAt() {
        send(new Route.Poison("billing"));

        assertThat(transport.depth("billing-poison")).hasValue(1);
        try (BrowsedQueue browsed = transport.browse("billing-poison")) {
            assertThat(Objects.requireNonNull(browsed.next()).message().queue()).isEqualTo("billing-poison");
        }
    }

    @Test
    void nothingIsLeftOfIt() throws Exception {
        transport.consume(QUEUE, 1, Delivery::acknowledge);
        node.close();

        assertThat(exists(PREFIX + QUEUE)).isFalse();
        assertThat(exists(PREFIX + "exchange.unrouted")).isFalse();
    }

    private static boolean exists(String queue) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(TestBroker.shared().uri());
        try (Connection connection = factory.newConnection()) {
            Channel channel = connection.createChannel();
            channel.queueDeclarePassive(queue);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
