// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.versions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.rabbit.BrokerConnections;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.rabbit.RabbitTransportOptions;
import io.safebunny.rabbit.versions.Instance.Parcel;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** The same on RabbitMQ: through its properties, and the hops of the ladder. */
@Timeout(120)
class NeighbouringVersionsIT {

    private static final int MESSAGES = 200;

    private final String node = "post." + UUID.randomUUID().toString().substring(0, 8);
    private final TestBroker broker = TestBroker.shared();
    private final SystemTimeline timeline = new SystemTimeline("versions");
    private final ExecutorService workers = Executors.newCachedThreadPool();
    private final List<CachingConnectionFactory> factories = new ArrayList<>();
    private final LaterVersion later = new LaterVersion(transport());

    private ConnectionFactory client() {
        ConnectionFactory client = new ConnectionFactory();
        client.setHost(broker.host());
        client.setPort(broker.port());
        client.setUsername(broker.username());
        client.setPassword(broker.password());
        client.setVirtualHost(broker.virtualHost());
        client.setAutomaticRecoveryEnabled(false);
        return client;
    }

    private RabbitTransport transport() {
        return new RabbitTransport(
                RabbitTransportOptions.defaults(),
                new BrokerConnections(factory(), factory(), factory()),
                workers,
                timeline);
    }

    private CachingConnectionFactory factory() {
        CachingConnectionFactory factory = new CachingConnectionFactory(client());
        factories.add(factory);
        return factory;
    }

    @AfterEach
    void clear() throws IOException, TimeoutException {
        try (Connection connection = client().newConnection();
                Channel channel = connection.createChannel()) {
            channel.queueDelete(node + "-Parcel");
            channel.queueDelete(node + "-poison");
            channel.queueDelete(node + "-dead-letters");
        }
        factories.forEach(CachingConnectionFactory::destroy);
        workers.shutdownNow();
        timeline.close();
    }

    @Test
    void retriesThroughTheLadderAndThePoisonQueueLoseNothing() {
        MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
        try (Instance newer = new Instance(node, later, store, timeline, workers);
                Instance older = new Instance(node, transport(), store, timeline, workers)) {
            for (int i = 0; i < MESSAGES; i++) {
                newer.bunny().publish(new Parcel(i));
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> newer.runs() + older.runs() == MESSAGES * (1 + Instance.RETRIES));

            assertThat(older.runs()).as("share of the older one").isPositive();
            int delivered = later.deliveries();
            RabbitTransport looking = transport();
            looking.start(TopologyPlanner.plan(
                    node, List.of(new Subscription("Parcel", List.of(node))), TopologyOptions.defaults()));
            looking.consume(node + "-poison", 10, delivery -> {
                later.look(delivery.message());
                delivery.acknowledge();
            });
            await().atMost(Duration.ofSeconds(30)).until(() -> later.deliveries() == delivered + MESSAGES / 10);
            assertThat(later.losses()).isEmpty();
            looking.close();
        }
    }
}
