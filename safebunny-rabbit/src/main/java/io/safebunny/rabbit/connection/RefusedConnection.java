// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import io.safebunny.failure.ConfigurationException;
import org.springframework.amqp.AmqpAuthenticationException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/** Distinguishes "access refused" (do not retry) from "unreachable" (retry). */
final class RefusedConnection {

    private RefusedConnection() {}

    static boolean isIn(Throwable failure) {
        if (failure instanceof AmqpAuthenticationException) {
            return true;
        }
        String reason = Channels.explain(failure);
        return reason.startsWith("NOT_ALLOWED") || reason.startsWith("ACCESS_REFUSED");
    }

    static ConfigurationException toException(String connection, ConnectionFactory factory, Throwable failure) {
        return new ConfigurationException(
                "SB-1202",
                "The broker at %s:%s refused the connection '%s' of user '%s' to virtual host '%s': %s."
                        .formatted(
                                factory.getHost(),
                                factory.getPort(),
                                connection,
                                factory.getUsername(),
                                factory.getVirtualHost(),
                                withoutFullStop(Channels.explain(failure))),
                "Set the right user, password and virtual host in spring.rabbitmq.addresses, which takes precedence, or in spring.rabbitmq.username, spring.rabbitmq.password and spring.rabbitmq.virtual-host.",
                failure);
    }

    private static String withoutFullStop(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }
}
