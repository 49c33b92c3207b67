// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.guard;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Puts a {@link HeaderGuard} between each connection and the client. As thread-safe as the wrapped socket factory. */
public final class GuardedSockets extends SocketFactory {

    private final SocketFactory sockets;

    private GuardedSockets(SocketFactory sockets) {
        this.sockets = sockets;
    }

    /**
     * Guards all sockets that the client opens from now on. Repeat this when the client gets another socket factory; a needless repeat is
     * harmless. Has no effect where the client uses no socket factory (NIO, Netty, an {@code SslContextFactory} alone).
     */
    public static void install(ConnectionFactory client) {
        synchronized (client) { // the client reads its factory under this lock
            SocketFactory present = client.getSocketFactory();
            if (present == null && !client.isSSL()) {
                present = SocketFactory.getDefault();
            }
            if (present != null && !(present instanceof GuardedSockets)) {
                // fix the port first: its default depends on the type of the factory
                client.setPort(client.getPort());
                client.setSocketFactory(new GuardedSockets(present));
            }
        }
    }

    /** The socket that the application's factory made, for configurators that depend on its type. */
    public static Socket behind(Socket socket) {
        return socket instanceof GuardedSocket guarded ? guarded.socket() : socket;
    }

    @Override
    public Socket createSocket() throws IOException {
        return new GuardedSocket(sockets.createSocket());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return new GuardedSocket(sockets.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return new GuardedSocket(sockets.createSocket(host, port, localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return new GuardedSocket(sockets.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localAddress, int localPort) throws IOException {
        return new GuardedSocket(sockets.createSocket(host, port, localAddress, localPort));
    }
}
