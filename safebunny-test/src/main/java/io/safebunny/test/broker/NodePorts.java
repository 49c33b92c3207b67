// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** The four ports of one node, free when they were chosen. */
record NodePorts(int amqp, int management, int distribution, int epmd) {

    // below Linux' ephemeral range, so that no outgoing connection takes them while a killed node is down
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;

    static NodePorts free() {
        int[] ports = IntStream.generate(() -> ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST))
                .filter(NodePorts::isFree)
                .distinct()
                .limit(4)
                .toArray();
        return new NodePorts(ports[0], ports[1], ports[2], ports[3]);
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
