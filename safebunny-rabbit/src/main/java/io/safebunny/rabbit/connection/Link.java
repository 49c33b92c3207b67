// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import com.rabbitmq.client.Connection;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection and its socket. While the broker does not read, each of the client's methods that close a connection waits for the writing
 * thread; only closing the socket ends the write. Thread-safe.
 */
final class Link {

    private static final Logger LOG = LoggerFactory.getLogger(Link.class);
    private static final int ORDERLY_MILLIS = 2_000;
    private static final Duration ORDERLY = Duration.ofMillis(ORDERLY_MILLIS + 500);
    private static final Duration GRACE = Duration.ofMillis(500);

    private final Connection connection;
    private final @Nullable Socket socket;
    private final Timeline timeline;
    private final AtomicBoolean cut = new AtomicBoolean();

    /** @param socket {@code null} if unknown; {@link #cut} then aborts through the client */
    Link(Connection connection, @Nullable Socket socket, Timeline timeline) {
        this.connection = connection;
        this.socket = socket;
        this.timeline = timeline;
    }

    Connection connection() {
        return connection;
    }

    /**
     * Closes the socket without the AMQP handshake; does not block.
     *
     * @return false if the socket had been closed this way before
     */
    boolean cut() {
        if (!cut.compareAndSet(false, true)) {
            return false;
        }
        daemon("safebunny-cut", this::closeSocket);
        return true;
    }

    private void closeSocket() {
        if (socket == null) {
            connection.abort(0);
            return;
        }
        try {
            if (socket instanceof SSLSocket) {
                // otherwise closing a TLS socket would wait for the writer before it sends close_notify
                socket.setSoLinger(true, 0);
            }
            socket.close();
        } catch (IOException e) {
            LOG.debug("Socket already closed", e);
        }
    }

    /** Closes gracefully; if that takes longer than two seconds, closes the socket. Blocks for at most three seconds. */
    void close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        daemon("safebunny-close", () -> {
            closeInOrder();
            closed.complete(null);
        });
        try {
            if (!Deadline.after(ORDERLY, timeline).await(closed)) {
                cut();
                boolean unused = Deadline.after(GRACE, timeline).await(closed);
            }
        } catch (InterruptedException e) {
            cut();
            Thread.currentThread().interrupt();
        }
    }

    private void closeInOrder() {
        try {
            connection.close(ORDERLY_MILLIS);
        } catch (IOException | RuntimeException e) {
            LOG.debug("Connection already closed", e);
        }
    }

    static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }
}
