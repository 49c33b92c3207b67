// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import io.safebunny.node.SafeBunnyOptions;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;

/** Looks for queues on the broker of a test. */
final class OnBroker {

    private static final String EXCHANGE = "exchange";

    private OnBroker() {}

    /** As it is named there: with a prefix if others run the broker. */
    static String queue(String name, SafeBunnyOptions options) {
        String exchange = options.topology().prefix();
        return exchange.endsWith(EXCHANGE) ? exchange.substring(0, exchange.length() - EXCHANGE.length()) + name : name;
    }

    static boolean has(String queue, ConnectionFactory factory) {
        try {
            return new RabbitAdmin(factory).getQueueInfo(queue) != null;
        } catch (AmqpException e) {
            return false; // not even its virtual host
        }
    }
}
