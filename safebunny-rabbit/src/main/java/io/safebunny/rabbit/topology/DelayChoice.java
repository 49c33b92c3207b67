// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses once how a node delays messages: as configured, or by what the first broker that answers supports. Thread-safe. */
public final class DelayChoice {

    private static final Logger LOG = LoggerFactory.getLogger(DelayChoice.class);

    private final DelayStrategy strategy;
    private volatile @Nullable Delay chosen;

    public DelayChoice(DelayStrategy strategy) {
        this.strategy = strategy;
    }

    /** Whether to probe the broker, which may close the connection used. */
    public boolean dependsOnTheBroker() {
        return strategy == DelayStrategy.AUTO;
    }

    /** The chosen delay; {@code null} until it is chosen. */
    public @Nullable Delay get() {
        return chosen;
    }

    /** @throws IOException if the broker did not answer the probe */
    public Delay on(Connection connection, TopologyOptions names) throws IOException {
        Delay before = chosen;
        if (before != null) {
            return before;
        }
        Delay now = choose(connection, names);
        chosen = now;
        return now;
    }

    private Delay choose(Connection connection, TopologyOptions names) throws IOException {
        boolean plugin = dependsOnTheBroker() ? hasPlugin(connection, names) : strategy == DelayStrategy.PLUGIN;
        String configured = strategy.name().toLowerCase(Locale.ROOT);
        if (plugin) {
            LOG.info(
                    "Delayed messages wait in exchange {} of the plugin rabbitmq_delayed_message_exchange, not replicated"
                            + " [safebunny.delay.strategy={}]",
                    names.delayedExchange(),
                    configured);
            return new PluginDelay(names);
        }
        LOG.info(
                "Delayed messages wait in durable queues {}.*; no plugin is needed [safebunny.delay.strategy={}]",
                names.delayedExchange(),
                configured);
        return new LadderDelay(names);
    }

    /**
     * Declares the delayed exchange with the plugin's type. A broker without the plugin closes the whole connection (503), so do not use
     * the connection after {@code false}. Also false if the exchange has another type or the user may not declare it.
     *
     * @throws IOException if the broker did not answer
     */
    private static boolean hasPlugin(Connection connection, TopologyOptions names) throws IOException {
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
