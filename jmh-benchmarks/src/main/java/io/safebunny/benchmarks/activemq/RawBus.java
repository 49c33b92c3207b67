// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.activemq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.Ping;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/** RabbitMQ's client library, with a connection per sender and receiver, prepared bytes, and receivers that do not read them. */
final class RawBus implements Bus {

    private static final long CONFIRM_MILLIS = 30_000;

    private final byte[] body =
            Ping.ofSize("order-42", BenchBroker.MESSAGE_BYTES).json();
    private final BenchBroker broker;
    private final List<Connection> connections = new ArrayList<>();

    RawBus(BenchBroker broker, int prefetch, Runnable received) throws IOException, TimeoutException {
        this.broker = broker;
        for (int receiver = 0; receiver < Stress.RECEIVERS; receiver++) {
            String queue = queue(receiver);
            Channel channel = channel();
            channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
            channel.queuePurge(queue);
            channel.basicQos(prefetch);
            channel.basicConsume(queue, false, new DefaultConsumer(channel) {
                @Override
                public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] bytes)
                        throws IOException {
                    channel.basicAck(envelope.getDeliveryTag(), false);
                    received.run();
                }
            });
        }
    }

    private static String queue(int receiver) {
        return "raw-receiver-" + receiver;
    }

    private Channel channel() throws IOException, TimeoutException {
        Connection connection = broker.connect();
        connections.add(connection);
        return connection.createChannel();
    }

    @Override
    public Sender sender() throws IOException, TimeoutException {
        Channel channel = channel();
        channel.confirmSelect();
        return receiver -> {
            BasicProperties properties =
                    BenchBroker.properties(UUID.randomUUID().toString());
            channel.basicPublish("", queue(receiver), true, properties, body);
            channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
        };
    }

    @Override
    public void close() {
        connections.forEach(Connection::abort);
    }
}
