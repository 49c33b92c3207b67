// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.store;

import java.sql.SQLException;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;

/** Gives other processes access to a file that this process has open, for as long as it lives. */
public final class Window implements AutoCloseable {

    private final @Nullable Server server;

    private Window(@Nullable Server server) {
        this.server = server;
    }

    /** Does nothing for a store that others can reach anyway. */
    public static Window into(StoreAddress address) {
        if (!address.kind().isOfOneProcess()) {
            return new Window(null);
        }
        System.setProperty("h2.bindAddress", "127.0.0.1");
        try {
            return new Window(
                    Server.createTcpServer("-tcpPort", "0", "-ifExists").start());
        } catch (SQLException e) {
            throw new IllegalStateException("H2 does not start. Check that a port is free.", e);
        }
    }

    /** The port for {@link StoreAddress#through}; empty if there is none. */
    public String port() {
        return server == null ? "" : Integer.toString(server.getPort());
    }

    @Override
    public void close() {
        if (server != null) {
            server.stop();
        }
    }
}
