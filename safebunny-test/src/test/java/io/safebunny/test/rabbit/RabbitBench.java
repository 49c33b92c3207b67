// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.rabbit.RabbitTransport;
import io.safebunny.transport.rabbit.RabbitTransportOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** Makes transports on the test broker, and looks at the broker from outside. Close it after each test. */
final class RabbitBench implements AutoCloseable {

    private final TestBroker broker = TestBroker.shared();
    private final ExecutorService workers = Executors.newCachedThreadPool();
    private final SystemTimeline timeline = new SystemTimeline("rabbit-bench");
    private final List<CachingConnectionFactory> factories = new ArrayList<>();

    RabbitTransport transport(String node, RabbitTransportOptions options) {
        return new RabbitTransport(options, factory(node + ":publish"), factory(node + ":consume"), workers, timeline);
    }

    RabbitTransport transport(String node, Executor executor) {
        return new RabbitTransport(
                RabbitTransportOptions.defaults(),
                factory(node + ":publish"),
                factory(node + ":consume"),
                executor,
                timeline);
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
        com.rabbitmq.client.ConnectionFactory client = new com.rabbitmq.client.ConnectionFactory();
        client.setHost(broker.host());
        client.setPort(broker.port());
        client.setUsername(broker.username());
        client.setPassword(broker.password());
        client.setVirtualHost(broker.virtualHost());
        client.setAutomaticRecoveryEnabled(false);
        return client;
    }

    RabbitTransport transport(com.rabbitmq.client.ConnectionFactory client) {
        return new RabbitTransport(
                RabbitTransportOptions.defaults(),
                named("publish", client),
                named("consume", client),
                workers,
                timeline);
    }

    /** Something to be done with a plain channel. */
    @FunctionalInterface
    interface OnChannel {
        void run(Channel channel) throws IOException;
    }

    void onBroker(OnChannel action) {
        try (Connection connection = client().newConnection("looking on")) {
            try (Channel channel = connection.createChannel()) {
                action.run(channel);
            }
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("The test broker does not answer", e);
        }
    }

    @Override
    public void close() {
        factories.forEach(CachingConnectionFactory::destroy);
        workers.shutdownNow();
        timeline.close();
    }
}
