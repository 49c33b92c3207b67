// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Ports of 127.0.0.1 for servers that tests start, stop and start again. A port that looks free may be that of a server which is down just
 * now, in this JVM or in another one that runs tests. So each JVM takes its ports from a block of its own, one after the other. Thread-safe.
 */
public final class Ports {

    // below Linux's ephemeral range, so that no outgoing connection takes a port while its server is down
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 32_000;
    private static final int BLOCK = 500;

    /** Listens on the first port of this JVM's block, which tells the others that it is taken, until the JVM ends. */
    private static @Nullable ServerSocket guard;

    private static int next;

    private Ports() {}

    /**
     * Takes ports that follow each other.
     *
     * @return the first one
     * @throws IllegalStateException if there are not that many
     */
    public static synchronized int take(int count) {
        int block = block();
        for (int looked = 0; looked < BLOCK; looked++) {
            int first = next + count > block + BLOCK ? block + 1 : next;
            next = first + 1;
            if (IntStream.range(first, first + count).allMatch(Ports::isFree)) {
                next = first + count;
                return first;
            }
        }
        throw new IllegalStateException("No free ports [wanted=%s, from=%s, to=%s]: end what listens on them."
                .formatted(count, block + 1, block + BLOCK - 1));
    }

    private static int block() {
        if (guard == null) {
            guard = claim();
            next = guard.getLocalPort() + 1;
        }
        return guard.getLocalPort();
    }

    private static ServerSocket claim() {
        int blocks = (HIGHEST - LOWEST) / BLOCK;
        int any = ThreadLocalRandom.current().nextInt(blocks);
        for (int i = 0; i < blocks; i++) {
            ServerSocket socket = listen(LOWEST + (any + i) % blocks * BLOCK);
            if (socket != null) {
                return socket;
            }
        }
        throw new IllegalStateException("No free ports [from=%s, to=%s]: %s JVMs that run tests hold all of them."
                .formatted(LOWEST, HIGHEST, blocks));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = listen(port)) {
            return socket != null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code null} if another socket listens on the port. */
    private static @Nullable ServerSocket listen(int port) {
        try {
            ServerSocket socket = new ServerSocket();
            try {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return socket;
            } catch (IOException taken) {
                socket.close();
                return null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
