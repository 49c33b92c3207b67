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

/** Opens connections and captures the socket of each, which the client does not expose. For one thread at a time. */
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
                    // otherwise a late response would be taken for that of the next request
                    true);
            client.setSocketConfigurator(new Watching(client.getSocketConfigurator()));
        }
        guardSockets();
    }

    /** Captures each socket that the client opens, also when several dialers share a factory. */
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

    /** Called on every attempt, because the application may have reconfigured TLS on the client since. */
    private void guardSockets() {
        if (factory instanceof AbstractConnectionFactory spring) {
            GuardedSockets.install(spring.getRabbitConnectionFactory());
        }
    }

    /** Keeps only the last socket: if there were several addresses, the earlier ones did not answer. */
    private void remember(Socket connecting) {
        Socket behind = GuardedSockets.behind(connecting);
        guarded = behind != connecting;
        if (Thread.currentThread() == dialling) {
            // not the socket of another thread that uses the same factory
            socket = behind;
        }
    }

    /** Whether the last socket has a {@code HeaderGuard}. */
    boolean isGuarded() {
        return guarded;
    }

    private void warnUnlessGuarded() {
        if (!guarded && !warned) {
            warned = true;
            LOG.warn(
                    "A message with deeply nested headers can break the connections to {}:{} again and again: the connection factory does not use a SocketFactory, so headers cannot be guarded. Remove NIO, Netty or a custom SslContextFactory from it",
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
                throw new IOException(
                        "The connection factory returned no connection of the RabbitMQ client; use Spring AMQP's CachingConnectionFactory");
            }
            warnUnlessGuarded();
            return new Link(connection, socket, timeline);
        } finally {
            dialling = null;
            socket = null;
        }
    }
}
