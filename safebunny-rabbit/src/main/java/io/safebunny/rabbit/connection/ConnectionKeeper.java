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
 * Keeps one connection open: connects, prepares, and after a loss tries again for ever with capped, jittered back-off. Nobody
 * else connects, so an unreachable broker costs one thread and not every publisher's. Thread-safe.
 */
public final class ConnectionKeeper implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionKeeper.class);

    /** Work to be done on a new connection before it counts as open. */
    @FunctionalInterface
    public interface Preparation {
        void prepare(Connection connection) throws IOException;
    }

    private final String purpose;
    private final ConnectionFactory factory;
    private final Dialer dialer;
    private final Preparation preparation;
    private final Runnable opened;
    private volatile @Nullable Link current;
    private volatile String problem = "not started";
    private volatile boolean closed;
    private volatile String name;
    private final Blockage blockage = new Blockage();
    private final Backoff backoff;
    private final ConnectLoop loop;

    /**
     * Each further try has a thread of its own.
     *
     * @param purpose names the connection in logs and health, with its node: "publish"
     * @param opened runs when a connection is open and prepared; must not block
     */
    public ConnectionKeeper(
            String purpose, ConnectionFactory factory, Timeline timeline, Preparation preparation, Runnable opened) {
        this(
                purpose,
                factory,
                timeline,
                task -> Link.daemon("safebunny-connect-" + purpose, task),
                preparation,
                opened);
    }

    /** @param threads gives each further try a thread, which it may block for long */
    public ConnectionKeeper(
            String purpose,
            ConnectionFactory factory,
            Timeline timeline,
            Executor threads,
            Preparation preparation,
            Runnable opened) {
        this.purpose = purpose;
        this.name = purpose;
        this.factory = factory;
        this.dialer = new Dialer(factory, timeline);
        this.backoff = new Backoff(timeline);
        this.preparation = preparation;
        this.opened = opened;
        this.loop = new ConnectLoop(purpose, this::isWanted, this::connectAgain, backoff, threads, timeline);
    }

    /**
     * Tries once on this thread, then goes on in the background.
     *
     * @param node for the log: there may be several nodes in one process
     * @throws ConfigurationException when trying again cannot help
     */
    public void start(String node) {
        name = node + ':' + purpose;
        try {
            connect();
        } catch (IOException | AmqpException | ShutdownSignalException e) {
            if (RefusedConnection.isIn(e)) {
                throw RefusedConnection.toException(name, factory, e);
            }
            String why = problem(e); // before the next try, which may know better
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

    /** {@code null} while there is none. */
    public @Nullable Connection current() {
        Link link = current;
        return link == null ? null : link.connection();
    }

    /** Ends this connection if it is the current one. Does not block; what waits for it fails, and a new one is opened. */
    public void cut(Connection stuck) {
        Link link = current;
        if (link != null && link.connection() == stuck && link.cut()) {
            LOG.warn("Connection '{}' is cut, because the broker reads nothing", name);
        }
    }

    /** {@code null} when all is well. */
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
                    LOG.warn("Connection '{}' is blocked by the broker: {}. Publications wait", name, reason);
                },
                () -> {
                    blockage.end();
                    LOG.info("Connection '{}' is unblocked", name);
                });
        if (!accept(link)) {
            link.close();
            return;
        }
        connection.addShutdownListener(cause -> lost(link, cause));
        LOG.info("Connected '{}' to {}:{}", name, connection.getAddress().getHostAddress(), connection.getPort());
        opened.run();
    }

    /** @return whether it is still wanted */
    private synchronized boolean accept(Link link) {
        if (!closed) {
            current = link;
            backoff.connected();
        }
        return !closed;
    }

    /**
     * What is written to a blocked connection stays in the socket, with the writer in it.
     *
     * @return false when it was blocked all the time
     */
    public boolean awaitUnblocked(Deadline deadline) throws InterruptedException {
        return blockage.awaitEnd(deadline);
    }

    private void lost(Link link, ShutdownSignalException cause) {
        synchronized (this) {
            if (closed || current != link) {
                return;
            }
            backoff.lost();
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
                LOG.debug("Still no connection '{}': {}", name, before);
            } else {
                LOG.warn("Still no connection '{}': {}", name, problem);
            }
        } catch (RuntimeException | Error e) { // whatever it was, nobody else would connect
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
