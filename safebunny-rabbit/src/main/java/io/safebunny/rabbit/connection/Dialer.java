// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.SocketConfigurator;
import io.safebunny.rabbit.guard.GuardedSockets;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.net.Socket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/** Opens connections and remembers the socket of each, which the client keeps to itself. One thread at a time. */
final class Dialer {

    private static final Logger LOG = LoggerFactory.getLogger(Dialer.class);

    private final ConnectionFactory factory;
    private final Timeline timeline;
    private volatile @Nullable Thread dialling;
    private volatile @Nullable Socket socket;
    private volatile boolean guarded;
    private boolean warned;

    Dialer(ConnectionFactory factory, Timeline timeline) {
        this.factory = factory;
        this.timeline = timeline;
        if (factory instanceof AbstractConnectionFactory spring) {
            com.rabbitmq.client.ConnectionFactory client = spring.getRabbitConnectionFactory();
            client.setChannelShouldCheckRpcResponseType(
                    true); // a late answer must not pass for that of the next question
            client.setSocketConfigurator(new Watching(client.getSocketConfigurator()));
        }
        guardSockets();
    }

    /** Sees each socket as the client has it, also when another dialler of the same factory does so too. */
    private final class Watching implements SocketConfigurator {

        private final SocketConfigurator inner;

        Watching(SocketConfigurator inner) {
            this.inner = inner;
        }

        @Override
        public void configure(Socket connecting) throws IOException {
            inner.configure(inner instanceof Watching ? connecting : GuardedSockets.behind(connecting));
            remember(connecting);
        }
    }

    /** Each time: the application may have given the client another key store. */
    private void guardSockets() {
        if (factory instanceof AbstractConnectionFactory spring) {
            GuardedSockets.install(spring.getRabbitConnectionFactory());
        }
    }

    /** The last one counts: of several addresses, those that were tried before did not answer. */
    private void remember(Socket connecting) {
        Socket behind = GuardedSockets.behind(connecting);
        guarded = behind != connecting;
        if (Thread.currentThread() == dialling) { // the client's factory may have other users
            socket = behind;
        }
    }

    /** Whether the last socket that was made was. */
    boolean isGuarded() {
        return guarded;
    }

    private void warnUnlessGuarded() {
        if (!guarded && !warned) {
            warned = true;
            LOG.warn(
                    "A message with deeply nested headers can end the connections to {}:{} again and again: the connection factory does not ask a SocketFactory for its sockets. Do not use NIO, Netty, or an SslContextFactory of your own",
                    factory.getHost(),
                    factory.getPort());
        }
    }

    Link dial() throws IOException {
        guardSockets();
        dialling = Thread.currentThread();
        try {
            Connection connection = factory.createConnection().getDelegate();
            if (connection == null) {
                throw new IOException("The connection factory gave no connection");
            }
            warnUnlessGuarded();
            return new Link(connection, socket, timeline);
        } finally {
            dialling = null;
            socket = null;
        }
    }
}
