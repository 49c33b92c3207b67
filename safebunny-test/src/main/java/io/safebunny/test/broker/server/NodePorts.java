// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker.server;

import io.safebunny.test.process.Ports;
import java.util.List;
import java.util.stream.IntStream;

/** Ports of one node. */
public record NodePorts(int amqp, int management, int distribution, int tls, int epmd) {

    private static final int EACH = 4;

    /** Ports for nodes that share one port mapper. */
    static List<NodePorts> take(int nodes) {
        int epmd = Ports.take(1 + nodes * EACH);
        return IntStream.range(0, nodes)
                .map(node -> epmd + 1 + node * EACH)
                .mapToObj(first -> new NodePorts(first, first + 1, first + 2, first + 3, epmd))
                .toList();
    }
}
