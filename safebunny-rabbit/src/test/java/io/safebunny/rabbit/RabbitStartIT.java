// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.topology.TopologyOptions.PoisonLimits;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RabbitStartIT {

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "start." + UUID.randomUUID().toString().substring(0, 8);

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(node, "Ping");
        rabbit.close();
    }

    private Topology topology(QueueType queueType) {
        return topology(TopologyOptions.defaults().withQueueType(queueType));
    }

    private Topology topology(TopologyOptions options) {
        return TopologyPlanner.plan(node, List.of(new Subscription("Ping", List.of(node))), options);
    }

    @Test
    void refusesWrongCredentialsAndNamesTheProperties() {
        com.rabbitmq.client.ConnectionFactory client = rabbit.client();
        client.setPassword("not-the-password-3141");
        try (RabbitTransport transport = rabbit.transport(client)) {
            assertThatThrownBy(() -> transport.start(topology(QueueType.QUORUM)))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("SB-1202")
                    .hasMessageContaining("spring.rabbitmq.username")
                    .hasMessageContaining("spring.rabbitmq.password")
                    .hasMessageNotContaining("not-the-password-3141");
        }
    }

    @Test
    void refusesAMissingVirtualHostAndNamesTheProperty() {
        com.rabbitmq.client.ConnectionFactory client = rabbit.client();
        client.setVirtualHost("no-such-vhost");
        try (RabbitTransport transport = rabbit.transport(client)) {
            assertThatThrownBy(() -> transport.start(topology(QueueType.QUORUM)))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("SB-1202")
                    .hasMessageContaining("no-such-vhost")
                    .hasMessageContaining("spring.rabbitmq.virtual-host");
        }
    }

    @Test
    void startsWithoutABrokerAndSaysSo() {
        com.rabbitmq.client.ConnectionFactory client = rabbit.client();
        client.setHost("127.0.0.1");
        client.setPort(1); // nobody listens there
        try (RabbitTransport transport = rabbit.transport(client)) {
            transport.start(topology(QueueType.QUORUM));

            assertThat(transport.status().usable()).isFalse();
            assertThat(transport.status().detail()).contains("ConnectException");
            assertThat(transport.send(message(Duration.ZERO), rabbit.deadline()))
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(ConnectionLostException.class);
        }
    }

    @Test
    void startsWithAnUnknownHostAndSaysSo() {
        com.rabbitmq.client.ConnectionFactory client = rabbit.client();
        client.setHost("no-such-host.invalid");
        try (RabbitTransport transport = rabbit.transport(client)) {
            transport.start(topology(QueueType.QUORUM));

            assertThat(transport.status().usable()).isFalse();
            assertThat(transport.status().detail()).contains("UnknownHostException");
        }
    }

    @Test
    void refusesAQueueOfAnotherTypeWithBothValuesAndTheProperty() {
        apply(topology(QueueType.CLASSIC));

        assertRefused(
                topology(QueueType.QUORUM),
                "The queue '" + node + "-Ping' exists on the broker as a classic queue (",
                "), and this node asks for a quorum queue (safebunny.topology.queue-type). Nothing was changed.",
                "Set safebunny.topology.queue-type=classic, or ",
                "rabbitmqctl delete_queue " + node + "-Ping");
    }

    @Test
    void refusesAQuorumQueueWhereAClassicOneIsAskedFor() {
        apply(topology(QueueType.QUORUM));

        assertRefused(
                topology(QueueType.CLASSIC),
                "exists on the broker as a quorum queue (",
                "and this node asks for a classic queue (safebunny.topology.queue-type)",
                "Set safebunny.topology.queue-type=quorum, or ");
    }

    @Test
    void refusesAnotherPoisonTtlAndNamesTheProperty() {
        apply(topology(QueueType.QUORUM));

        assertRefused(
                topology(TopologyOptions.defaults()
                        .withPoison(PoisonLimits.defaults().withTtl(Duration.ofDays(1)))),
                "x-message-ttl=86400000 (safebunny.poison.ttl)",
                "Remove safebunny.poison.ttl, or ");
    }

    @Test
    void refusesAnotherLengthOfThePoisonQueueAndNamesTheProperty() {
        apply(topology(QueueType.QUORUM));

        assertRefused(
                topology(TopologyOptions.defaults()
                        .withPoison(PoisonLimits.defaults().withMaxLength(1_000L))),
                "(safebunny.poison.max-length)",
                "Remove safebunny.poison.max-length, or ");
    }

    @Test
    void refusesAnotherDeliveryLimitAndNamesTheProperty() {
        apply(topology(QueueType.QUORUM));

        assertRefused(
                topology(TopologyOptions.defaults().withDeliveryLimit(7)),
                "x-delivery-limit=7 (safebunny.topology.delivery-limit)",
                "Set safebunny.topology.delivery-limit=20, or ");
    }

    private void apply(Topology topology) {
        try (RabbitTransport first = rabbit.transport(node)) {
            first.start(topology);
        }
    }

    private void assertRefused(Topology topology, String... words) {
        try (RabbitTransport second = rabbit.transport(node)) {
            assertThatThrownBy(() -> second.start(topology))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageStartingWith("SB-1201")
                    .hasMessageContainingAll(words);
        }
    }

    /** No broker of a test has the archived plugin, unless one is given that does: then the plugin is what it delays with. */
    @Test
    void picksADelayStrategyTheBrokerOffers() {
        RabbitTransportOptions options = new RabbitTransportOptions(8, DelayStrategy.AUTO);
        try (RabbitTransport transport = rabbit.transport(node, options)) {
            transport.start(topology(QueueType.QUORUM));
            assertThat(transport.status().usable()).isTrue();

            assertThat(transport.send(message(Duration.ofMillis(20)), rabbit.deadline()))
                    .succeedsWithin(Duration.ofSeconds(10));

            java.util.concurrent.CompletableFuture<String> arrived = new java.util.concurrent.CompletableFuture<>();
            transport.consume(node + "-Ping", 1, delivery -> {
                arrived.complete(delivery.message().message().messageId());
                delivery.acknowledge();
            });
            assertThat(arrived).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("id-1");
        }
    }

    private OutboundMessage message(Duration delay) {
        return RabbitBench.message(node, "id-1", new Route.ToQueue(node + "-Ping"), delay);
    }
}
