// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * Keeps one connection open: connects, prepares it, and after a loss reconnects for ever with capped, jittered back-off. Nothing else
 * connects, so an unreachable broker blocks one thread rather than every publisher's. Thread-safe.
 */
public final class ConnectionKeeper implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionKeeper.class);

    /** Prepares a new connection before it counts as open. */
    @FunctionalInterface
    public interface Preparation {
        void prepare(Connection connection) throws IOException;
    }

    private final String purpose;
    private final ConnectionFactory factory;
    private final Dialer dialer;
    private final Preparation preparation;
    private volatile Runnable opened = () -> {};
    private volatile @Nullable Link current;
    private volatile String problem = "not started";
    private volatile boolean closed;
    private volatile String name;
    private final Blockage blockage = new Blockage();
    private final ConnectLoop loop;

    /**
     * Reconnects on its own thread.
     *
     * @param purpose names the connection in logs and health, together with its node, such as {@code publish}
     */
    public ConnectionKeeper(String purpose, ConnectionFactory factory, Timeline timeline, Preparation preparation) {
        this(purpose, factory, timeline, task -> Link.daemon("safebunny-connect-" + purpose, task), preparation);
    }

    /** @param threads runs attempts to reconnect, which may block for long */
    public ConnectionKeeper(
            String purpose, ConnectionFactory factory, Timeline timeline, Executor threads, Preparation preparation) {
        this.purpose = purpose;
        this.name = purpose;
        this.factory = factory;
        this.dialer = new Dialer(factory, timeline);
        this.preparation = preparation;
        this.loop = new ConnectLoop(purpose, this::isWanted, this::connectAgain, threads, timeline);
    }

    /** @param action runs whenever a connection is open and prepared; must not block */
    public void whenOpened(Runnable action) {
        opened = action;
    }

    /**
     * Tries once on this thread, then goes on in the background.
     *
     * @param node for the log: there may be several nodes in one process
     * @throws ConfigurationException SB-1202 when the broker refuses access, so that retrying cannot help
     */
    public void start(String node) {
        name = node + ':' + purpose;
        try {
            connect();
        } catch (IOException | AmqpException | ShutdownSignalException e) {
            if (RefusedConnection.isIn(e)) {
                throw RefusedConnection.toException(name, factory, e);
            }
            String why = problem(e); // read before the next attempt, which may overwrite it
            Duration wait = loop.tryLater();
            LOG.warn(
                    "SB-1203 No connection '{}' to the broker at {}:{}: {}. Retrying in {} ms; check spring.rabbitmq.addresses (or host and port) if this goes on",
                    name,
                    factory.getHost(),
                    factory.getPort(),
                    why,
                    wait.toMillis());
        }
    }

    /** {@code null} while disconnected. */
    public @Nullable Connection current() {
        Link link = current;
        return link == null ? null : link.connection();
    }

    /** Closes the socket of this connection if it is the current one; pending calls fail and a new connection is opened. Does not block. */
    public void cut(Connection stuck) {
        Link link = current;
        if (link != null && link.connection() == stuck && link.cut()) {
            LOG.warn("Closing connection '{}': the broker does not read what is sent. Reconnecting", name);
        }
    }

    /** What is wrong with the connection; {@code null} if nothing is. */
    public @Nullable String problem() {
        if (current == null) {
            return name + ": " + problem;
        }
        return blockage.isThere() ? name + ": blocked by the broker (memory or disk alarm)" : null;
    }

    private void connect() throws IOException {
        Link link = dialer.dial();
        Connection connection = link.connection();
        try {
            preparation.prepare(connection);
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
        blockage.end();
        connection.addBlockedListener(
                reason -> {
                    blockage.begin();
                    LOG.warn(
                            "The broker blocks connection '{}': {}. Publications wait; check the broker's memory and disk alarms",
                            name,
                            reason);
                },
                () -> {
                    blockage.end();
                    LOG.info("The broker unblocked connection '{}'", name);
                });
        if (!accept(link)) {
            link.close();
            return;
        }
        connection.addShutdownListener(cause -> lost(link, cause));
        LOG.info("Connected '{}' to {}:{}", name, connection.getAddress().getHostAddress(), connection.getPort());
        opened.run();
    }

    /** @return false if the keeper was closed meanwhile */
    private synchronized boolean accept(Link link) {
        if (!closed) {
            current = link;
            loop.connected();
        }
        return !closed;
    }

    /**
     * Waits as long as the broker blocks the connection.
     *
     * @return false if it is still blocked at the deadline
     */
    public boolean awaitUnblocked(Deadline deadline) throws InterruptedException {
        return blockage.awaitEnd(deadline);
    }

    private void lost(Link link, ShutdownSignalException cause) {
        synchronized (this) {
            if (closed || current != link) {
                return;
            }
            loop.lost();
            current = null;
            blockage.end();
            problem = "connection lost: " + Channels.explain(cause);
        }
        LOG.warn("Connection '{}' lost: {}. Reconnecting", name, Channels.explain(cause));
        loop.tryLaterUnlessTrying();
    }

    private void connectAgain() {
        try {
            connect();
        } catch (IOException | AmqpException | ShutdownSignalException e) {
            String before = problem;
            if (before.equals(problem(e))) {
                LOG.debug("Connection '{}' still fails: {}", name, before);
            } else {
                LOG.warn("Connection '{}' still fails: {}. Retrying", name, problem);
            }
        } catch (RuntimeException | Error e) {
            // catches unexpected failures too: nothing else would ever connect
            String before = problem;
            problem = String.valueOf(e.getMessage());
            LOG.atLevel(problem.equals(before) ? Level.DEBUG : Level.ERROR)
                    .log("Connection '{}' cannot be used: {}", name, problem);
        }
    }

    private boolean isWanted() {
        Link link = current;
        return !closed && (link == null || !link.connection().isOpen());
    }

    private String problem(Throwable failure) {
        problem = Channels.explain(failure);
        return problem;
    }

    @Override
    public void close() {
        Link link;
        synchronized (this) {
            closed = true;
            link = current;
            current = null;
            problem = "closed";
            blockage.endForGood();
        }
        loop.stop();
        if (link != null) {
            link.close();
        }
    }
}
