// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.work.SerialTask;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
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
    /** A connection that lasted so long was a good one, however long the wait for it was. */
    private static final Duration STEADY = Duration.ofSeconds(2);

    private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(15);

    /** Work to be done on a new connection before it counts as open. */
    @FunctionalInterface
    interface Preparation {
        void prepare(Connection connection) throws IOException;
    }

    private final String purpose;
    private final ConnectionFactory factory;
    private final Dialer dialer;
    private final Timeline timeline;
    private final Preparation preparation;
    private final Runnable opened;
    private volatile @Nullable Link current;
    private volatile String problem = "not started";
    /** Completed when the broker unblocks the connection; {@code null} while it is not blocked. */
    private volatile @Nullable CompletableFuture<Void> blocked;

    private volatile boolean closed;
    private volatile String name;
    private final SerialTask reconnecting;
    private @Nullable Thread connecting;
    private Duration backOff = FIRST_BACK_OFF;
    private long waitedNanos;
    private long connectedAt;

    /**
     * @param threads gives each further try a thread, which it may block for long
     * @param opened runs when a connection is open and prepared; must not block
     */
    ConnectionKeeper(
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
        this.timeline = timeline;
        this.preparation = preparation;
        this.opened = opened;
        this.reconnecting = new SerialTask("connecting '" + purpose + "'", this::connectAgain, threads, timeline);
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
            reconnecting.requestAfter(nextWait());
        }
    }

    /** {@code null} while there is none. */
    @Nullable
    Connection current() {
        Link link = current;
        return link == null ? null : link.connection();
    }

    /** Ends this connection if it is the current one. Does not block; what waits for it fails, and a new one is opened. */
    void cut(Connection stuck) {
        Link link = current;
        if (link != null && link.connection() == stuck && link.cut()) {
            LOG.warn("Connection '{}' is cut, because the broker reads nothing", name);
        }
    }

    /** {@code null} when all is well. */
    @Nullable
    String problem() {
        if (current == null) {
            return name + ": " + problem;
        }
        return blocked != null ? name + ": blocked by the broker (memory or disk alarm)" : null;
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
        unblock();
        connection.addBlockedListener(
                reason -> {
                    block();
                    LOG.warn("Connection '{}' is blocked by the broker: {}. Publications wait", name, reason);
                },
                () -> {
                    unblock();
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
            connectedAt = timeline.nanoTime();
        }
        return !closed;
    }

    private synchronized void block() {
        if (blocked == null && !closed) {
            blocked = new CompletableFuture<>();
        }
    }

    private synchronized void unblock() {
        CompletableFuture<Void> before = blocked;
        blocked = null;
        if (before != null) {
            before.complete(null);
        }
    }

    /**
     * What is written to a blocked connection stays in the socket, with the writer in it.
     *
     * @return false when it was blocked all the time
     */
    boolean awaitUnblocked(Deadline deadline) throws InterruptedException {
        CompletableFuture<Void> unblocked = blocked;
        while (unblocked != null && deadline.await(unblocked)) {
            unblocked = blocked; // again, perhaps
        }
        return unblocked == null;
    }

    private void lost(Link link, ShutdownSignalException cause) {
        synchronized (this) {
            if (closed || current != link) {
                return;
            }
            if (timeline.nanoTime() - connectedAt >= Math.min(waitedNanos, STEADY.toNanos())) {
                backOff = FIRST_BACK_OFF;
            }
            current = null;
            unblock();
            problem = "connection lost: " + Channels.explain(cause);
        }
        LOG.warn("Connection '{}' lost: {}. Reconnecting", name, Channels.explain(cause));
        reconnectUnlessConnecting();
    }

    /** Plans the next try as long as there is no connection. */
    private void connectAgain() {
        if (!begin()) {
            return;
        }
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
        } finally {
            end();
        }
    }

    /** A try that is under way plans the next one itself. */
    private synchronized void reconnectUnlessConnecting() {
        if (connecting == null) {
            reconnecting.requestAfter(nextWait());
        }
    }

    private synchronized boolean begin() {
        connecting = isWanted() ? Thread.currentThread() : null;
        return connecting != null;
    }

    private synchronized void end() {
        connecting = null;
        if (isWanted()) {
            try {
                reconnecting.requestAfter(nextWait());
            } catch (OutOfMemoryError e) { // nobody else would connect, and this allocates nothing
                reconnecting.request();
            }
        }
    }

    private boolean isWanted() {
        Link link = current;
        return !closed && (link == null || !link.connection().isOpen());
    }

    /**
     * Twice as long each time. It starts over only after a connection that lasted longer than the wait for it, or two seconds, so
     * that a broker that accepts and drops is left in peace.
     */
    private synchronized Duration nextWait() {
        Duration wait =
                Duration.ofNanos((long) (backOff.toNanos() * timeline.random().nextDouble(0.5, 1.0)));
        Duration doubled = backOff.multipliedBy(2);
        backOff = doubled.compareTo(LONGEST_BACK_OFF) < 0 ? doubled : LONGEST_BACK_OFF;
        waitedNanos = wait.toNanos();
        return wait;
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
        Link link;
        synchronized (this) {
            closed = true;
            link = current;
            current = null;
            problem = "closed";
            unblock();
            if (connecting != null) {
                connecting.interrupt();
            }
        }
        reconnecting.stop();
        if (link != null) {
            link.close();
        }
    }
}
