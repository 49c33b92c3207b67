// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.ExchangeKind;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/** Applies a topology: declares what is missing, accepts what is equal, refuses what differs. Never deletes anything. */
final class TopologyDeclarer {

    private TopologyDeclarer() {}

    /**
     * @throws ConfigurationException SB-1201 for a clash, SB-1204 for a missing permission
     * @throws IOException when the connection fails
     */
    static void apply(Connection connection, Topology topology, Delay delay) throws IOException {
        Channel channel = Channels.open(connection);
        try {
            for (Topology.Exchange exchange : topology.exchanges()) {
                declaring("exchange '" + exchange.name() + "'", () -> {
                    if (exchange.kind() == ExchangeKind.DELAYED) {
                        delay.declare(channel);
                    } else {
                        channel.exchangeDeclare(
                                exchange.name(),
                                exchange.kind().name().toLowerCase(Locale.ROOT),
                                true,
                                false,
                                exchange.alternate() == null
                                        ? Map.of()
                                        : Map.of("alternate-exchange", exchange.alternate()));
                    }
                });
            }
            for (Topology.Queue queue : topology.queues()) {
                declaring(
                        "queue '" + queue.name() + "'",
                        () -> channel.queueDeclare(queue.name(), true, false, false, queue.arguments()));
            }
            for (Topology.Binding binding : topology.bindings()) {
                declaring(
                        "binding of queue '" + binding.queue() + "'",
                        () -> channel.queueBind(binding.queue(), binding.exchange(), binding.routingKey()));
            }
        } finally {
            Channels.closeQuietly(channel);
        }
    }

    /**
     * @throws ConfigurationException SB-1201 for a clash, SB-1204 for a missing permission
     */
    static void declaring(String what, Declaration declaration) throws IOException {
        try {
            declaration.run();
        } catch (IOException | ShutdownSignalException e) {
            AMQP.Channel.Close close = Channels.closeReason(e);
            if (close != null && close.getReplyCode() == AMQP.PRECONDITION_FAILED) {
                Clash clash = Clash.of(close.getReplyText());
                if (clash != null) {
                    throw clash.toException(e);
                }
                throw new ConfigurationException(
                        "SB-1201",
                        "The broker already has the %s with other properties: %s. Nothing was changed."
                                .formatted(what, close.getReplyText()),
                        "Set safebunny.topology.* and safebunny.delay.strategy to what exists, or drain and delete it on the broker so that it is declared anew.",
                        e);
            }
            if (close != null && close.getReplyCode() == AMQP.ACCESS_REFUSED) {
                throw new ConfigurationException(
                        "SB-1204",
                        "The broker user may not declare the %s: %s.".formatted(what, close.getReplyText()),
                        "Grant spring.rabbitmq.username the configure, write and read permissions of this node's names.",
                        e);
            }
            throw e;
        }
    }

    @FunctionalInterface
    interface Declaration {
        void run() throws IOException;
    }
}
