// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** The part of AMQP that the harness itself uses: parsing an address, and a connection to check that a broker answers. */
final class Amqp {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private Amqp() {}

    static ConnectionFactory factory(URI uri) {
        ConnectionFactory factory = new ConnectionFactory();
        try {
            factory.setUri(uri);
        } catch (URISyntaxException | GeneralSecurityException | IllegalArgumentException e) {
            // without the cause: its message may hold user and password
            throw new BrokerUnavailableException("Cannot use the broker's address [host=" + uri.getHost()
                    + "]: it is not an AMQP URI. Write it as amqp://USER:PASSWORD@HOST:PORT/VIRTUAL-HOST.");
        }
        factory.setAutomaticRecoveryEnabled(false);
        factory.setConnectionTimeout((int) PATIENCE.toMillis());
        factory.setHandshakeTimeout((int) PATIENCE.toMillis());
        return factory;
    }

    static boolean answers(URI uri) {
        try (Connection connection = factory(uri).newConnection("safebunny-test")) {
            return connection.isOpen();
        } catch (IOException | TimeoutException e) {
            return false;
        }
    }

    static String serverVersion(URI uri) {
        try (Connection connection = factory(uri).newConnection("safebunny-test")) {
            return String.valueOf(connection.getServerProperties().get("version"));
        } catch (IOException | TimeoutException e) {
            throw new BrokerUnavailableException(
                    "Cannot ask the broker for its version [host=" + uri.getHost() + ", port=" + uri.getPort()
                            + "]: no connection. See that it runs and that user, password and virtual host are right.",
                    e);
        }
    }
}
