// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.rabbit.topology.Broker;
import io.safebunny.rabbit.topology.Declarations;
import io.safebunny.rabbit.topology.DeclaredTopology;
import io.safebunny.rabbit.topology.Delay;
import io.safebunny.rabbit.topology.DelayChoice;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.rabbit.topology.LadderDelay;
import io.safebunny.rabbit.topology.Permissions;
import io.safebunny.rabbit.topology.PluginDelay;
import io.safebunny.rabbit.topology.TopologyDeclarer;
import io.safebunny.topology.Topology;
import java.io.IOException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.AmqpIOException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * What a node needs on RabbitMQ; compares, declares or exports it without starting the node. The rungs of the delay ladder are not
 * included, because nodes declare them on first use. Thread-safe.
 */
public final class RabbitTopology {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitTopology.class);

    private final Topology planned;
    private final DelayStrategy strategy;

    public RabbitTopology(Topology planned, DelayStrategy strategy) {
        this.planned = planned;
        this.strategy = strategy;
    }

    /** Definitions in RabbitMQ's import format. {@link DelayStrategy#AUTO} counts as the ladder. */
    public Map<String, Object> definitions(String virtualHost) {
        Definitions definitions = new Definitions(virtualHost);
        try {
            apply(definitions, assumed());
        } catch (IOException e) {
            throw new IllegalStateException("Definitions cannot fail to be written: no I/O takes place", e);
        }
        return definitions.result();
    }

    /**
     * Changes nothing on the broker.
     *
     * @throws AmqpException if the broker cannot be reached or the connection is lost
     */
    public TopologyDifference compare(ConnectionFactory broker) {
        return on(broker, connection -> {
            try (Declarations declarations = Declarations.on(connection, planned)) {
                Comparison comparison = new Comparison(declarations);
                apply(comparison, found(declarations));
                return comparison.result();
            }
        });
    }

    /**
     * Declares what is missing, as the node's start would, and the exchange between instances if this user may. Deletes nothing.
     *
     * @throws ConfigurationException SB-1201 for a clash; SB-1204 for a missing permission
     * @throws AmqpException if the broker cannot be reached or the connection is lost
     */
    public void apply(ConnectionFactory broker) {
        DeclaredTopology declared = new DeclaredTopology(new DelayChoice(strategy));
        declared.plan(planned);
        declared.probe(broker);
        boolean unused = on(broker, connection -> {
            declared.declare(connection);
            try (Declarations declarations = Declarations.on(connection, planned)) {
                return isControlThere(declarations);
            }
        });
    }

    private boolean isControlThere(Declarations declarations) throws IOException {
        try {
            return declareControl(declarations);
        } catch (ConfigurationException e) {
            if (!e.code().equals(Permissions.MISSING)) {
                throw e;
            }
            LOG.warn(
                    "The exchange {} is missing, and this user may not declare it: nodes run without it, but their instances cannot reach each other. Grant what docs/permissions.md lists, or import docs/shared-topology.json",
                    planned.options().controlExchange());
            return false;
        }
    }

    private void apply(Broker broker, Delay delay) throws IOException {
        TopologyDeclarer.apply(broker, planned, delay);
        boolean unused = declareControl(broker);
    }

    /** The exchange between instances is no part of the topology, because nodes run without it. */
    private boolean declareControl(Broker broker) throws IOException {
        return broker.exchange(planned.options().controlExchange(), "topic", Map.of());
    }

    private Delay assumed() {
        return strategy == DelayStrategy.PLUGIN
                ? new PluginDelay(planned.options())
                : new LadderDelay(planned.options());
    }

    /**
     * The delay that {@link DelayStrategy#AUTO} chooses on this broker. Checks the exchange passively first, because declaring would create
     * a missing one.
     */
    private Delay found(Declarations broker) throws IOException {
        String exchange = planned.options().delayedExchange();
        String what = "exchange '" + exchange + "'";
        if (strategy != DelayStrategy.AUTO
                || broker.refusal(what, channel -> channel.exchangeDeclarePassive(exchange)) != null) {
            return assumed();
        }
        try {
            boolean ladder =
                    broker.refusal(what, channel -> channel.exchangeDeclare(exchange, "headers", true)) == null;
            return ladder ? new LadderDelay(planned.options()) : assumed();
        } catch (ConfigurationException clash) {
            return new PluginDelay(planned.options());
        }
    }

    @FunctionalInterface
    interface Task<T> {
        T run(Connection connection) throws IOException;
    }

    static <T> T on(ConnectionFactory broker, Task<T> task) {
        try (org.springframework.amqp.rabbit.connection.Connection connection = broker.createConnection()) {
            Connection delegate = connection.getDelegate();
            if (delegate == null) {
                throw new AmqpException(
                        "The connection factory returned no connection of the RabbitMQ client. Use Spring AMQP's CachingConnectionFactory.");
            }
            return task.run(delegate);
        } catch (IOException e) {
            throw new AmqpIOException(e);
        } catch (ShutdownSignalException e) {
            throw new AmqpException("The connection to the broker was lost. Check the broker and run this again.", e);
        }
    }
}
