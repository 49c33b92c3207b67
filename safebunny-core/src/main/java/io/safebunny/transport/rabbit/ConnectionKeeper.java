// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpAuthenticationException;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * Keeps one connection open: connects, prepares, and after a loss tries again for ever with capped, jittered back-off. Nobody
 * else connects, so an unreachable broker costs one thread and not every publisher's.
 */
final class ConnectionKeeper implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionKeeper.class);
    private static final Duration FIRST_BACK_OFF = Duration.ofMillis(500);
    private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(15);
    private static final int CLOSE_TIMEOUT_MILLIS = 5_000;

    /** Work to be done on a new connection before it counts as open. */
    @FunctionalInterface
    interface Preparation {
        void prepare(Connection connection) throws IOException;
    }

    private final String purpose;
    private final ConnectionFactory factory;
    private final Timeline timeline;
    private final Preparation preparation;
    private final Runnable opened;
    private volatile @Nullable Connection current;
    private volatile String problem = "not started";
    private volatile boolean blocked;
    private volatile boolean closed;
    private volatile String name;
    private @Nullable Thread reconnecting;

    /** @param opened runs when a connection is open and prepared; must not block */
    ConnectionKeeper(
            String purpose, ConnectionFactory factory, Timeline timeline, Preparation preparation, Runnable opened) {
        this.purpose = purpose;
        this.name = purpose;
        this.factory = factory;
        this.timeline = timeline;
        this.preparation = preparation;
        this.opened = opened;
    }

    /**
     * Tries once on this thread, then goes on in the background.
     *
     * @param node for the log: there may be several nodes in one process
     * @throws ConfigurationException when trying again cannot help
     */
    void start(String node) {
        name = node + ':' + purpose;
        try {
            connect();
        } catch (IOException | AmqpException | ShutdownSignalException e) {
            if (isRefusal(e)) {
                throw new ConfigurationException(
                        "SB-1202",
                        "The broker at %s:%d refused the connection '%s' of user '%s' to virtual host '%s': %s."
                                .formatted(
                                        factory.getHost(),
                                        factory.getPort(),
                                        name,
                                        factory.getUsername(),
                                        factory.getVirtualHost(),
                                        withoutFullStop(Channels.explain(e))),
                        "Correct the user, password and virtual host in spring.rabbitmq.addresses, which win, or else spring.rabbitmq.username, spring.rabbitmq.password and spring.rabbitmq.virtual-host.",
                        e);
            }
            LOG.warn(
                    "SB-1203 No connection '{}' to the broker at {}:{}: {}. Trying on; check spring.rabbitmq.addresses (or host and port) if this goes on",
                    name,
                    factory.getHost(),
                    factory.getPort(),
                    problem(e));
            reconnect();
        }
    }

    /** {@code null} while there is none. */
    @Nullable
    Connection current() {
        return current;
    }

    /** {@code null} when all is well. */
    @Nullable
    String problem() {
        if (current == null) {
            return name + ": " + problem;
        }
        return blocked ? name + ": blocked by the broker (memory or disk alarm)" : null;
    }

    private void connect() throws IOException {
        Connection connection = factory.createConnection().getDelegate();
        if (connection == null) {
            throw new IOException("The connection factory gave no connection");
        }
        preparation.prepare(connection);
        setBlocked(false);
        connection.addBlockedListener(
                reason -> {
                    setBlocked(true);
                    LOG.warn("Connection '{}' is blocked by the broker: {}. Publications wait", name, reason);
                },
                () -> {
                    setBlocked(false);
                    LOG.info("Connection '{}' is unblocked", name);
                });
        if (!accept(connection)) {
            closeWithin(connection, CLOSE_TIMEOUT_MILLIS);
            return;
        }
        connection.addShutdownListener(cause -> lost(connection, cause));
        LOG.info("Connected '{}' to {}:{}", name, connection.getAddress().getHostAddress(), connection.getPort());
        opened.run();
    }

    /** @return whether it is still wanted */
    private synchronized boolean accept(Connection connection) {
        if (!closed) {
            current = connection;
        }
        return !closed;
    }

    private synchronized void setBlocked(boolean now) {
        blocked = now;
        notifyAll();
    }

    /**
     * What is written to a blocked connection stays in the socket, with the writer in it.
     *
     * @return false when it was blocked all the time
     */
    boolean awaitUnblocked(Duration patience) throws InterruptedException {
        if (!blocked) {
            return true;
        }
        long deadline = timeline.nanoTime() + patience.toNanos();
        synchronized (this) {
            while (blocked && !closed) {
                long left = deadline - timeline.nanoTime();
                if (left <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        }
        return true;
    }

    private void lost(Connection connection, ShutdownSignalException cause) {
        synchronized (this) {
            if (closed || current != connection) {
                return;
            }
            current = null;
            blocked = false;
            notifyAll();
            problem = "connection lost: " + Channels.explain(cause);
        }
        LOG.warn("Connection '{}' lost: {}. Reconnecting", name, Channels.explain(cause));
        reconnect();
    }

    private synchronized void reconnect() {
        if (closed || reconnecting != null) {
            return;
        }
        Thread thread = new Thread(this::tryForEver, "safebunny-connect-" + name);
        thread.setDaemon(true);
        reconnecting = thread;
        thread.start();
    }

    private void tryForEver() {
        Duration backOff = FIRST_BACK_OFF;
        while (!isDone()) {
            try {
                timeline.sleep(jittered(backOff));
                connect();
            } catch (InterruptedException e) {
                return; // closed
            } catch (IOException | AmqpException | ShutdownSignalException e) {
                String before = problem;
                if (before.equals(problem(e))) {
                    LOG.debug("Still no connection '{}': {}", name, before);
                } else {
                    LOG.warn("Still no connection '{}': {}", name, problem);
                }
            } catch (RuntimeException | Error e) { // whatever it was, nobody else would connect
                problem = String.valueOf(e.getMessage());
                LOG.error("Connection '{}' cannot be used: {}", name, e.getMessage());
            }
            Duration doubled = backOff.multipliedBy(2);
            backOff = doubled.compareTo(LONGEST_BACK_OFF) < 0 ? doubled : LONGEST_BACK_OFF;
        }
    }

    /** Decided together with giving up the thread, so that a loss at this moment starts a new one. */
    private synchronized boolean isDone() {
        Connection connection = current;
        boolean done = closed || (connection != null && connection.isOpen());
        if (done) {
            reconnecting = null;
        }
        return done;
    }

    private static Duration jittered(Duration backOff) {
        return Duration.ofNanos(
                (long) (backOff.toNanos() * ThreadLocalRandom.current().nextDouble(0.5, 1.0)));
    }

    private String problem(Throwable failure) {
        problem = Channels.explain(failure);
        return problem;
    }

    private static String withoutFullStop(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    private static boolean isRefusal(Throwable failure) {
        if (failure instanceof AmqpAuthenticationException) {
            return true;
        }
        String reason = Channels.explain(failure);
        return reason.startsWith("NOT_ALLOWED") || reason.startsWith("ACCESS_REFUSED");
    }

    @Override
    public void close() {
        Connection connection;
        synchronized (this) {
            closed = true;
            connection = current;
            current = null;
            problem = "closed";
            notifyAll();
            if (reconnecting != null) {
                reconnecting.interrupt();
            }
        }
        if (connection != null) {
            closeWithin(connection, CLOSE_TIMEOUT_MILLIS);
        }
    }

    /** On a thread of its own: while the broker reads nothing, closing waits for what is being written. */
    private void closeWithin(Connection connection, int millis) {
        Thread closing = new Thread(
                () -> {
                    try {
                        connection.close(millis);
                    } catch (IOException | ShutdownSignalException e) {
                        LOG.debug("Connection '{}' was closed already", name, e);
                    }
                },
                "safebunny-close-" + name);
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(2L * millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
