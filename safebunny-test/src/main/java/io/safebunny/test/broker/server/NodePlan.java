// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker.server;

import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Start options of a node.
 *
 * @param cookie secret that lets other Erlang nodes connect with the server's full rights; the same for all nodes of a cluster
 * @param password password of the user {@code guest}; the same for all nodes of a cluster, because they share their users
 * @param hasOwnEpmd whether the node runs the port mapper itself, which then dies with it
 * @param hasTls whether it also listens for TLS
 * @param settings lines of {@code rabbitmq.conf}, in addition to those that every node has
 */
public record NodePlan(
        ServerRoot root,
        NodePorts ports,
        String cookie,
        String password,
        boolean hasOwnEpmd,
        boolean hasTls,
        List<String> settings) {

    public static NodePlan alone(ServerRoot root, boolean hasTls) {
        return new NodePlan(root, NodePorts.take(1).get(0), newSecret(), newSecret(), true, hasTls, List.of());
    }

    /** Plans of a cluster's nodes: the others join the first one. */
    public static List<NodePlan> cluster(ServerRoot root, int nodes) {
        List<NodePorts> ports = NodePorts.take(nodes);
        String cookie = newSecret();
        String password = newSecret();
        String first = nodeName(ports.get(0));
        return IntStream.range(0, nodes)
                .mapToObj(i -> new NodePlan(
                        root, ports.get(i), cookie, password, false, false, discovery(first, nodeName(ports.get(i)))))
                .toList();
    }

    private static String newSecret() {
        return UUID.randomUUID().toString();
    }

    public String nodeName() {
        return nodeName(ports);
    }

    /**
     * Settings with which nodes discover the cluster when they boot: faster than join_cluster, which boots each node twice. Only the first
     * node may form a cluster, so there is never a second one.
     */
    private static List<String> discovery(String first, String self) {
        String key = "cluster_formation.classic_config.nodes.";
        return List.of(
                // a paused member counts as down after about 10 s instead of a minute, and rejoins when it is resumed
                "net_ticktime = 10",
                "cluster_partition_handling = autoheal",
                "cluster_formation.peer_discovery_backend = classic_config",
                key + "1 = " + first,
                self.equals(first) ? "" : key + "2 = " + self);
    }

    /** Omits cookie and password. */
    @Override
    public String toString() {
        return nodeName();
    }

    private static String nodeName(NodePorts ports) {
        return "safebunny-" + ports.amqp() + "-" + ProcessHandle.current().pid() + "@localhost";
    }
}
