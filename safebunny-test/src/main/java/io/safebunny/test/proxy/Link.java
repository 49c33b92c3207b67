// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** One client connection and its connection to the server, with a thread per direction; thread-safe. */
final class Link {

    private static final int BUFFER = 64 * 1024;

    private final Socket client;
    private final Socket server = new Socket();
    private final InetSocketAddress target;
    private final Valve valve;
    private final Faults faults;
    private final Consumer<Link> onEnd;
    private final AtomicInteger directions = new AtomicInteger(2);
    private volatile boolean isOpen = true;

    Link(Socket client, InetSocketAddress target, Valve valve, Faults faults, Consumer<Link> onEnd) {
        this.client = client;
        this.target = target;
        this.valve = valve;
        this.faults = faults;
        this.onEnd = onEnd;
    }

    static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    void start() {
        daemon("proxy-to-server", this::connectAndPump);
    }

    boolean isOpen() {
        return isOpen;
    }

    /** Resets both connections; a repeat is harmless. */
    void reset() {
        isOpen = false;
        reset(client);
        reset(server);
        valve.nudge();
        onEnd.accept(this);
    }

    private void connectAndPump() {
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target);
        } catch (IOException e) {
            reset();
            return;
        }
        daemon("proxy-to-client", () -> pump(server, client, FrameScanner.ofBroker(faults.ofBroker())));
        pump(client, server, FrameScanner.ofClient(faults.ofClient()));
    }

    private void pump(Socket from, Socket to, FrameScanner scanner) {
        try {
            forward(from, to, scanner);
            to.shutdownOutput();
        } catch (IOException e) {
            if (isOpen) {
                reset();
            }
        }
        if (directions.decrementAndGet() == 0) {
            end();
        }
    }

    private void forward(Socket from, Socket to, FrameScanner scanner) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        int count;
        while ((count = from.getInputStream().read(buffer.array(), buffer.position(), buffer.remaining())) >= 0) {
            buffer.position(buffer.position() + count).flip();
            if (!isOpen) {
                // discarded: the server may still be sending to a client that was cut
                buffer.clear();
                continue;
            }
            boolean cuts = scanner.advance(buffer);
            valve.await(() -> !isOpen);
            to.getOutputStream().write(buffer.array(), 0, buffer.position());
            buffer.compact();
            if (cuts) {
                cutClient();
            }
        }
    }

    /**
     * Resets the client's side, but closes the server's side without a reset, because that could discard bytes that the server has not read
     * yet.
     */
    private void cutClient() throws IOException {
        isOpen = false;
        reset(client);
        server.shutdownOutput();
    }

    private void end() {
        isOpen = false;
        close(client);
        close(server);
        onEnd.accept(this);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException closedAlready) {
            return;
        }
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException itIsClosedAllTheSame) {
            return;
        }
    }
}
