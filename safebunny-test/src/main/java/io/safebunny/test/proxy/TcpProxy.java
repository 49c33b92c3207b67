// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy on 127.0.0.1 in front of one server, whose connections a test cuts, stalls or refuses. Thread-safe; its threads are daemons.
 * The caller must close it.
 *
 * <p>Faults named after AMQP methods occur once, at the first connection that carries the frame. They need plain AMQP 0-9-1: anything else,
 * such as TLS, passes unparsed. The client sees a reset; the broker still receives every byte forwarded before, then the end of the stream.
 */
public final class TcpProxy implements AutoCloseable {

    private final InetSocketAddress target;
    private final ServerSocket entrance;
    private final Valve valve = new Valve();
    private final Faults faults = new Faults();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile boolean refusing;

    private TcpProxy(InetSocketAddress target) throws IOException {
        this.target = target;
        this.entrance = new ServerSocket();
        entrance.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
    }

    /** Starts a proxy for the server, which need not run yet: if the server does not accept a connection, the client's is reset. */
    public static TcpProxy to(String host, int port) {
        try {
            TcpProxy proxy = new TcpProxy(new InetSocketAddress(host, port));
            Link.daemon("proxy-entrance", proxy::serve);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port on 127.0.0.1 that clients connect to. */
    public int port() {
        return entrance.getLocalPort();
    }

    /** Number of open client connections, including stalled ones. */
    public int connections() {
        return (int) links.stream().filter(Link::isOpen).count();
    }

    /** Resets all open connections on both sides; bytes in transit are lost. New connections are accepted. */
    public void cut() {
        links.forEach(Link::reset);
    }

    /**
     * Lets no byte through in either direction, on existing and new connections, which stay open. The proxy stops reading after at most one
     * buffer, so the senders' own buffers fill up.
     */
    public void stall() {
        valve.shut();
    }

    /** Lets the bytes flow again; none are lost. */
    public void resume() {
        valve.open();
    }

    /** Resets each new connection at once; open ones continue. */
    public void refuse() {
        refusing = true;
    }

    /** Accepts new connections again. */
    public void accept() {
        refusing = false;
    }

    /** Resets the connection instead of forwarding the broker's next {@code basic.ack}: the message is safe, the publisher cannot know. */
    public void cutAtNextConfirm() {
        faults.armConfirm();
    }

    /** Resets the connection instead of forwarding the client's next {@code basic.ack}: the message was handled, the broker cannot know. */
    public void cutAtNextAcknowledgement() {
        faults.armAcknowledgement();
    }

    /**
     * Resets the connection that carries the n-th {@code basic.publish} from now, counted over all connections, right after that
     * publication was forwarded with its header and body. The broker has received it, but may drop what it did not process before it
     * saw the end of the stream.
     */
    public void cutAfterPublishes(int n) {
        if (n < 1) {
            throw new IllegalArgumentException("Cannot cut after publications [n=" + n + "]: needs 1 or more.");
        }
        faults.armPublishes(n);
    }

    /** Whether a one-time fault has not occurred yet. */
    public boolean isArmed() {
        return faults.areArmed();
    }

    /** Resets all connections and takes no more; a repeat is harmless. */
    @Override
    public void close() {
        refusing = true;
        try {
            entrance.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            cut();
        }
    }

    private void serve() {
        try {
            while (!entrance.isClosed()) {
                welcome(entrance.accept());
            }
        } catch (IOException closed) {
            return;
        }
    }

    private void welcome(Socket client) {
        Link link = new Link(client, target, valve, faults, links::remove);
        links.add(link);
        // checked after the link is registered, so that close() misses none
        if (refusing) {
            link.reset();
        } else {
            link.start();
        }
    }
}
