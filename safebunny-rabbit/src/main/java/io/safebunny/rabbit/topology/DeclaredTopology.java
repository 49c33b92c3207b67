// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.MisuseException;
import io.safebunny.topology.Topology;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * Everything that a node needs on the broker: its topology and its {@link Delay}. Declares it again whenever it may have been lost.
 * Thread-safe.
 */
public final class DeclaredTopology {

    private static final Logger LOG = LoggerFactory.getLogger(DeclaredTopology.class);

    private final DelayChoice delay;
    private volatile @Nullable Topology planned;
    /**
     * The topology of which it is known that nothing contradicts it; looked for once, and again when a queue is gone, as the broker logs an
     * error for what is missing.
     */
    private volatile @Nullable Topology unrivalled;

    public DeclaredTopology(DelayChoice delay) {
        this.delay = delay;
    }

    /** Sets the topology, without declaring it yet. */
    public void plan(Topology topology) {
        planned = topology;
    }

    /** Chooses the delay on a throwaway connection, because a broker without the plugin closes the connection that probes for it. */
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

    /** Call when a queue is missing: perhaps somebody has deleted it, because another version has its type in another queue by now. */
    public void declareMissing(Connection connection) throws IOException {
        unrivalled = null;
        declare(connection);
    }

    /** Call on every connect. */
    public void declare(Connection connection) throws IOException {
        Topology wanted = require();
        Delay chosen = delay.on(connection, wanted.options());
        try (Declarations broker = Declarations.on(connection, wanted)) {
            if (!wanted.equals(unrivalled)) {
                TopologyDeclarer.requireNoRival(broker, wanted);
                unrivalled = wanted;
            }
            TopologyDeclarer.apply(broker, wanted, chosen);
        }
    }

    /** Like {@link #declare}, and also makes the delay declare its queues again with the next message that needs them. */
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
                    MisuseException.NOT_RUNNING,
                    "The transport is not started, so nothing is declared. Use it after start(topology).");
        }
        return present;
    }

    /** {@code null} before the start. */
    public @Nullable Topology planned() {
        return planned;
    }

    /** {@code null} until it is chosen on the first connection. */
    public @Nullable Delay delay() {
        return delay.get();
    }
}
