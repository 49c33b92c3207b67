// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.delay;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.util.Map;

/** Finds out whether a broker has the delayed message exchange plugin. */
final class DelayProbe {

    private DelayProbe() {}

    /**
     * Declares the delayed exchange with the plugin's type. A broker without the plugin closes the whole connection (503), so do not use
     * the connection after {@code false}. Also false if the exchange has another type or the user may not declare it.
     *
     * @throws IOException if the broker did not answer
     */
    static boolean hasPlugin(Connection connection, TopologyOptions names) throws IOException {
        try {
            Channel channel = Channels.open(connection);
            channel.exchangeDeclare(
                    names.delayedExchange(),
                    PluginDelay.EXCHANGE_TYPE,
                    true,
                    false,
                    Map.of("x-delayed-type", "headers"));
            Channels.closeQuietly(channel);
            return true;
        } catch (IOException | ShutdownSignalException e) {
            AMQP.Channel.Close close = Channels.closeReason(e);
            if (Channels.isRefusal(e) || (close != null && close.getReplyCode() == AMQP.ACCESS_REFUSED)) {
                return false;
            }
            throw e;
        }
    }
}
