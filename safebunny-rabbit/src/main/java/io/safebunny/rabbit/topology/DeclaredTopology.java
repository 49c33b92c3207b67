// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.MisuseException;
import io.safebunny.rabbit.declare.Declarations;
import io.safebunny.rabbit.delay.Delay;
import io.safebunny.rabbit.delay.DelayChoice;
import io.safebunny.topology.Topology;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/** What a node needs on the broker: its topology, and what delays its messages. Declared as often as it may be gone. Thread-safe. */
public final class DeclaredTopology {

    private static final Logger LOG = LoggerFactory.getLogger(DeclaredTopology.class);

    private final DelayChoice delay;
    private volatile @Nullable Topology planned;

    public DeclaredTopology(DelayChoice delay) {
        this.delay = delay;
    }

    /** Declares nothing yet. */
    public void plan(Topology topology) {
        planned = topology;
    }

    /** Chooses the delay ahead of the first connection that is kept, because a broker without the plugin closes the one that asks for it. */
    public void probe(ConnectionFactory factory) {
        if (!delay.dependsOnTheBroker()) {
            return;
        }
        try {
            Connection connection = factory.createConnection().getDelegate();
            if (connection != null) {
                Delay unused = delay.on(connection, require().options());
            }
        } catch (AmqpException | IOException | ShutdownSignalException e) {
            LOG.debug("Not connected yet; the delay strategy is chosen later", e);
        }
    }

    /** On every connect, and when a queue is gone: the broker may have lost it. */
    public void declare(Connection connection) throws IOException {
        Topology wanted = require();
        Delay chosen = delay.on(connection, wanted.options());
        try (Declarations broker = Declarations.on(connection, wanted)) {
            TopologyDeclarer.apply(broker, wanted, chosen);
        }
    }

    /** The same, for publications: what was declared for delays may be gone too, and is declared by the next message that needs it. */
    public void declareForPublishing(Connection connection) throws IOException {
        Delay chosen = delay.get();
        if (chosen != null) {
            chosen.reconnected();
        }
        declare(connection);
    }

    /** @throws MisuseException before the start */
    public Topology require() {
        Topology present = planned;
        if (present == null) {
            throw new MisuseException(
                    MisuseException.NOT_RUNNING, "The transport is not started. Call start(topology) before this.");
        }
        return present;
    }

    /** {@code null} before the start. */
    public @Nullable Topology planned() {
        return planned;
    }

    /** {@code null} before it is chosen, which takes a connection. */
    public @Nullable Delay delay() {
        return delay.get();
    }
}
