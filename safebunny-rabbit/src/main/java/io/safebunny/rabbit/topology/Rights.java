// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.topology.Topology;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the broker user's permissions at the start. Permissions lost later show up in use: a missing read permission in the node's health,
 * a missing write permission in a failed publication. Without a connection nothing is checked.
 */
public final class Rights {

    private static final Logger LOG = LoggerFactory.getLogger(Rights.class);

    private Rights() {}

    /**
     * Asks the broker to remove a binding that never exists: the broker first checks the write permission on the exchange. A test
     * publication would block during an alarm of the broker. Topic permissions are not checked here; a missing one makes publications fail.
     *
     * @throws ConfigurationException SB-1204
     */
    public static void requirePublishing(@Nullable Connection connection, Topology topology, @Nullable Delay delay) {
        if (connection == null || delay == null) {
            return;
        }
        String source = topology.options().unrouted();
        List<String> exchanges =
                List.of(topology.options().mainExchange(), topology.options().ownExchange(), delay.entry());
        try (Declarations broker = Declarations.on(connection, topology)) {
            for (String exchange : exchanges) {
                AMQP.Channel.Close refusal = broker.refusal(
                        "exchange '" + exchange + "'",
                        channel -> channel.exchangeUnbind(exchange, source, "", Map.of("safebunny", "permitted?")));
                if (refusal != null && isForbidden(refusal, "exchange '" + exchange + "'")) {
                    throw new Permissions(topology).missingToRun("write", refusal.getReplyText());
                }
            }
        } catch (IOException | ShutdownSignalException e) {
            LOG.debug("No longer connected; permissions are not checked", e);
        }
    }

    /**
     * Call after consuming failed, to find out whether a permission is missing.
     *
     * @throws ConfigurationException SB-1204
     */
    public static void requireConsuming(@Nullable Connection connection, Topology topology, String queue) {
        if (connection == null) {
            return;
        }
        try (Declarations broker = Declarations.on(connection, topology)) {
            AMQP.Channel.Close refusal = broker.refusal("queue '" + queue + "'", channel -> {
                channel.basicQos(1);
                channel.basicConsume(queue, new DefaultConsumer(channel));
            });
            if (refusal != null && isForbidden(refusal, "queue '" + queue + "'")) {
                throw new Permissions(topology).missingToRun("read", refusal.getReplyText());
            }
        } catch (IOException | ShutdownSignalException e) {
            LOG.debug("No longer connected; permissions are not checked", e);
        }
    }

    private static boolean isForbidden(AMQP.Channel.Close refusal, String resource) {
        return refusal.getReplyCode() == AMQP.ACCESS_REFUSED
                && refusal.getReplyText().contains(resource);
    }
}
