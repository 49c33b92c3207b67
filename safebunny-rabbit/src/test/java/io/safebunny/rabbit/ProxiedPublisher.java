// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.message.WireMessage;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.proxy.TcpProxy;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** A transport whose publishing connection goes through a proxy, with a queue and exchanges of its own. The other connection goes straight. */
final class ProxiedPublisher implements AutoCloseable {

    /** Of {@link #sender}. */
    static final int MAX_IN_FLIGHT = 1_000;

    /** Part of all names on the broker. */
    final String node = "pub." + UUID.randomUUID().toString().substring(0, 8);

    final String queue = node + "-queue";
    final TopologyOptions names = TopologyOptions.defaults().withPrefix(node);
    final Topology topology = TopologyPlanner.plan(node, List.of(new Subscription("Ping", List.of(node))), names);
    final TcpProxy proxy;
    final RabbitTransport transport;
    final SystemTimeline timeline = new SystemTimeline(node);
    final ExecutorService threads = Executors.newCachedThreadPool();
    private final Onlooker onlooker;
    private final Duration timeout;
    private final CachingConnectionFactory publish;
    private final CachingConnectionFactory consume;

    ProxiedPublisher(TestBroker broker, int maxConcurrency, Duration timeout) {
        this(broker, broker.port(), client -> {}, maxConcurrency, timeout);
    }

    /**
     * @param port that the proxy leads to
     * @param settings of the publishing connection
     */
    ProxiedPublisher(
            TestBroker broker,
            int port,
            Consumer<com.rabbitmq.client.ConnectionFactory> settings,
            int maxConcurrency,
            Duration timeout) {
        this.onlooker = new Onlooker(broker);
        this.timeout = timeout;
        this.proxy = TcpProxy.to(broker.host(), port);
        com.rabbitmq.client.ConnectionFactory through = client();
        settings.accept(through);
        through.setHost("127.0.0.1");
        through.setPort(proxy.port());
        this.publish = named(":publish", through);
        this.consume = named(":consume", client());
        this.transport = new RabbitTransport(
                new RabbitTransportOptions(maxConcurrency, DelayStrategy.LADDER),
                new BrokerConnections(publish, consume, named(":dead-letters", client())),
                threads,
                timeline);
        onBroker(channel -> {
            channel.queueDeclare(queue, true, false, false, Map.of());
            channel.exchangeDeclare(names.ownExchange(), "topic", true);
            channel.queueBind(queue, names.ownExchange(), queue);
        });
    }

    ProxiedPublisher start() {
        transport.start(topology);
        return this;
    }

    private CachingConnectionFactory named(String purpose, com.rabbitmq.client.ConnectionFactory client) {
        CachingConnectionFactory factory = new CachingConnectionFactory(client);
        factory.setConnectionNameStrategy(ignored -> node + purpose);
        return factory;
    }

    com.rabbitmq.client.ConnectionFactory client() {
        return onlooker.client();
    }

    ConfirmedSender sender() {
        return new ConfirmedSender(transport, timeline, threads, timeout, MAX_IN_FLIGHT);
    }

    CompletableFuture<Void> send(String id) {
        return send(id, new byte[2]);
    }

    CompletableFuture<Void> send(String id, byte[] body) {
        return send(message(id, new Route.ToQueue(queue), Map.of(), body));
    }

    CompletableFuture<Void> send(OutboundMessage message) {
        return transport.send(message, deadline());
    }

    /** Of a publication that begins now. */
    Deadline deadline() {
        return Deadline.after(timeout, timeline);
    }

    OutboundMessage message(String id) {
        return message(id, new Route.ToQueue(queue), Map.of(), new byte[2]);
    }

    OutboundMessage message(String id, Route route, Map<String, Object> headers, byte[] body) {
        return new OutboundMessage(
                new WireMessage(id, "saga", "Ping", node, null, "application/json", null, headers, body),
                route,
                Duration.ZERO);
    }

    /** Empties the queue. */
    List<String> idsInQueue() {
        List<String> ids = Collections.synchronizedList(new ArrayList<>());
        onBroker(channel -> {
            long count = channel.messageCount(queue);
            CountDownLatch all = new CountDownLatch((int) count);
            channel.basicConsume(
                    queue,
                    true,
                    (tag, delivery) -> {
                        ids.add(delivery.getProperties().getMessageId());
                        all.countDown();
                    },
                    tag -> {});
            assertThat(awaited(all)).as("%d messages from the queue", count).isTrue();
        });
        return ids;
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void onBroker(Onlooker.OnChannel action) {
        onlooker.onBroker(action);
    }

    /** Leaves the broker as it was. */
    void deleteAll() {
        onBroker(channel -> {
            channel.queueDelete(queue);
            for (Topology.Queue planned : topology.queues()) {
                channel.queueDelete(planned.name());
            }
            for (Topology.Exchange planned : topology.exchanges()) {
                channel.exchangeDelete(planned.name());
            }
            channel.exchangeDelete(names.laterExchange());
        });
    }

    /** Ends the connections, also when the broker does not answer. */
    @Override
    public void close() {
        transport.close();
        proxy.close();
        publish.destroy();
        consume.destroy();
        threads.shutdownNow();
        timeline.close();
    }
}
