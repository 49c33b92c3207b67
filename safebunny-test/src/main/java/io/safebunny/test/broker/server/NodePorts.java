// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** Ports for one node, free at the time they were chosen. */
public record NodePorts(int amqp, int management, int distribution, int tls, int epmd) {

    // below Linux's ephemeral range, so that no outgoing connection takes one of them while a killed node is down
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;

    /** Ports for nodes that share one port mapper. */
    static List<NodePorts> free(int nodes) {
        int[] free = IntStream.generate(() -> ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST))
                .filter(NodePorts::isFree)
                .distinct()
                .limit(nodes * 4L + 1)
                .toArray();
        return IntStream.range(0, nodes)
                .map(node -> node * 4 + 1)
                .mapToObj(i -> new NodePorts(free[i], free[i + 1], free[i + 2], free[i + 3], free[0]))
                .toList();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
