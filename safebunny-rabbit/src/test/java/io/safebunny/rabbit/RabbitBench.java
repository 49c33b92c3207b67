// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.message.WireMessage;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.leaks.LeakCheck;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** Makes transports on the test broker, and looks at the broker from outside. Close it after each test. */
final class RabbitBench implements AutoCloseable {

    private final Onlooker onlooker = new Onlooker(TestBroker.shared());
    private final ExecutorService workers = Executors.newCachedThreadPool();
    private final SystemTimeline timeline = new SystemTimeline("rabbit-bench");
    private final List<CachingConnectionFactory> factories = new ArrayList<>();

    /** What a class may not leave behind; on a broker that is not ours, threads only. */
    static LeakCheck leaks() {
        TestBroker broker = TestBroker.shared();
        LeakCheck threads = new LeakCheck().within(Duration.ofSeconds(20)); // the broker tells late
        return broker.isPrivate()
                ? threads.counting("connections of the broker", broker::connections)
                        .counting("channels of the broker", broker::channels)
                : threads;
    }

    RabbitTransport transport(String node, RabbitTransportOptions options) {
        return new RabbitTransport(
                options,
                new BrokerConnections(
                        factory(node + ":publish"), factory(node + ":consume"), factory(node + ":dead-letters")),
                workers,
                timeline);
    }

    RabbitTransport transport(String node, Executor executor) {
        return new RabbitTransport(
                RabbitTransportOptions.defaults(),
                new BrokerConnections(
                        factory(node + ":publish"), factory(node + ":consume"), factory(node + ":dead-letters")),
                executor,
                timeline);
    }

    /** Of a publication that begins now. */
    Deadline deadline() {
        return Deadline.after(Duration.ofSeconds(30), timeline);
    }

    Executor workers() {
        return workers;
    }

    RabbitTransport transport(String node) {
        return transport(node, RabbitTransportOptions.defaults());
    }

    /** With the broker's own address and credentials. */
    CachingConnectionFactory factory(String name) {
        return named(name, client());
    }

    CachingConnectionFactory named(String name, com.rabbitmq.client.ConnectionFactory client) {
        CachingConnectionFactory factory = new CachingConnectionFactory(client);
        factory.setConnectionNameStrategy(ignored -> name);
        factories.add(factory);
        return factory;
    }

    com.rabbitmq.client.ConnectionFactory client() {
        return onlooker.client();
    }

    RabbitTransport transport(com.rabbitmq.client.ConnectionFactory client) {
        return new RabbitTransport(
                RabbitTransportOptions.defaults(),
                new BrokerConnections(
                        named("publish", client), named("consume", client), named("dead-letters", client)),
                workers,
                timeline);
    }

    void onBroker(Onlooker.OnChannel action) {
        onlooker.onBroker(action);
    }

    /** The queues of the node for these types, and those every node has. */
    void deleteQueues(String node, String... types) {
        onBroker(channel -> {
            for (String type : types) {
                channel.queueDelete(node + '-' + type);
            }
            channel.queueDelete(node + "-poison");
            channel.queueDelete(node + "-dead-letters");
        });
    }

    /** Of type {@code Ping}, with nothing in it. */
    static OutboundMessage message(String node, String id, Route route, Duration delay) {
        return new OutboundMessage(
                new WireMessage(
                        id,
                        "saga",
                        "Ping",
                        node,
                        null,
                        "application/json",
                        null,
                        Map.of(),
                        "{}".getBytes(StandardCharsets.UTF_8)),
                route,
                delay);
    }

    @Override
    public void close() {
        factories.forEach(CachingConnectionFactory::destroy);
        workers.shutdownNow();
        timeline.close();
    }
}
