// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server on loopback that keeps what it is sent, answers what the test says, and echoes if asked to. */
final class FakeServer implements AutoCloseable {

    private final ServerSocket entrance;
    private final boolean echoes;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private volatile boolean sawEnd;
    private volatile Socket last = new Socket();

    private FakeServer(boolean echoes) throws IOException {
        this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.echoes = echoes;
    }

    static FakeServer echo() throws IOException {
        return start(new FakeServer(true));
    }

    static FakeServer silent() throws IOException {
        return start(new FakeServer(false));
    }

    private static FakeServer start(FakeServer server) {
        Link.daemon("fake-server", server::serve);
        return server;
    }

    int port() {
        return entrance.getLocalPort();
    }

    byte[] received() {
        return received.toByteArray();
    }

    /** Whether the last connection ended in order, not by a reset. */
    boolean sawEnd() {
        return sawEnd;
    }

    void say(byte[]... frames) throws IOException {
        for (byte[] frame : frames) {
            last.getOutputStream().write(frame);
        }
    }

    private void serve() {
        while (!entrance.isClosed()) {
            try {
                Socket socket = entrance.accept();
                last = socket;
                Link.daemon("fake-server-connection", () -> read(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void read(Socket socket) {
        try (socket) {
            byte[] buffer = new byte[8192];
            int count;
            while ((count = socket.getInputStream().read(buffer)) >= 0) {
                received.write(buffer, 0, count);
                if (echoes) {
                    socket.getOutputStream().write(buffer, 0, count);
                }
            }
            sawEnd = true;
        } catch (IOException reset) {
            return;
        }
    }

    @Override
    public void close() {
        try {
            entrance.close();
            last.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
