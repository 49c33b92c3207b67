// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** Looks at a broker with a plain client, a connection at a time. */
record Onlooker(TestBroker broker) {

    /** Something to be done with a plain channel. */
    @FunctionalInterface
    interface OnChannel {
        void run(Channel channel) throws IOException;
    }

    /** A new factory with the broker's own address and credentials. */
    ConnectionFactory client() {
        ConnectionFactory client = new ConnectionFactory();
        client.setHost(broker.host());
        client.setPort(broker.port());
        client.setUsername(broker.username());
        client.setPassword(broker.password());
        client.setVirtualHost(broker.virtualHost());
        client.setAutomaticRecoveryEnabled(false);
        return client;
    }

    void onBroker(OnChannel action) {
        try (Connection connection = client().newConnection("looking on");
                Channel channel = connection.createChannel()) {
            action.run(channel);
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("The test broker does not answer", e);
        }
    }
}
