// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.net.Socket;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/** Opens connections and remembers the socket of each, which the client keeps to itself. One thread at a time. */
final class Dialer {

    private final ConnectionFactory factory;
    private volatile @Nullable Thread dialling;
    private volatile @Nullable Socket socket;

    Dialer(ConnectionFactory factory) {
        this.factory = factory;
        if (factory instanceof AbstractConnectionFactory spring) {
            com.rabbitmq.client.ConnectionFactory client = spring.getRabbitConnectionFactory();
            client.setChannelShouldCheckRpcResponseType(
                    true); // a late answer must not pass for that of the next question
            client.setSocketConfigurator(client.getSocketConfigurator().andThen(this::remember));
        }
    }

    /** The last one is it: of several addresses, those that were tried before did not answer. */
    private void remember(Socket connecting) {
        if (Thread.currentThread() == dialling) { // the client's factory may have other users
            socket = connecting;
        }
    }

    Link dial() throws IOException {
        dialling = Thread.currentThread();
        try {
            Connection connection = factory.createConnection().getDelegate();
            if (connection == null) {
                throw new IOException("The connection factory gave no connection");
            }
            return new Link(connection, socket);
        } finally {
            dialling = null;
            socket = null;
        }
    }
}
