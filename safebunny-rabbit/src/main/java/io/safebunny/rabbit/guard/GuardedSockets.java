// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.guard;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Puts a {@link HeaderGuard} between each connection and the client. Thread-safe as the factory it asks for sockets. */
public final class GuardedSockets extends SocketFactory {

    private final SocketFactory sockets;

    private GuardedSockets(SocketFactory sockets) {
        this.sockets = sockets;
    }

    /**
     * From now on; a repeat is harmless, and needed when the client got another factory. Where the client does not ask a factory for its
     * sockets (NIO, Netty, an {@code SslContextFactory} alone) it changes nothing.
     */
    public static void install(ConnectionFactory client) {
        synchronized (client) { // as it reads its factory
            SocketFactory present = client.getSocketFactory();
            if (present == null && !client.isSSL()) {
                present = SocketFactory.getDefault();
            }
            if (present != null && !(present instanceof GuardedSockets)) {
                client.setPort(client.getPort()); // its default depends on the kind of the factory
                client.setSocketFactory(new GuardedSockets(present));
            }
        }
    }

    /** The one that the application's factory made; configurators want to see what kind it is. */
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
