// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.rabbit.declare.Declarations;
import io.safebunny.rabbit.declare.Permissions;
import io.safebunny.rabbit.delay.Delay;
import io.safebunny.topology.Topology;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out at the start what this user may not do. What it loses later shows when it is used: a queue that may no longer be read, in the
 * health of the node; an exchange that may no longer be written to, in the failure of whoever publishes. Without a connection nothing is
 * asked.
 */
public final class Rights {

    private static final Logger LOG = LoggerFactory.getLogger(Rights.class);

    private Rights() {}

    /**
     * Asks the broker to remove a binding that nobody makes: it first checks whether the exchange may be written to. Not by publishing,
     * which would block while the broker has an alarm. What the routing key does not permit shows when it is published.
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
     * Called when consuming failed, to find out whether a permission is missing.
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
