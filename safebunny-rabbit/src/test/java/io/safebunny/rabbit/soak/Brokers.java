// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.test.broker.RabbitCluster;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.proxy.TcpProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One broker node or a cluster of three, and a proxy in front of each, through which all nodes of the soak connect. Thread-safe. */
final class Brokers implements AutoCloseable {

    private static final int CLUSTER = 3;
    private static final String VIRTUAL_HOST = "/";

    private final @Nullable RabbitCluster cluster;
    private final List<RabbitNode> nodes;
    private final List<TcpProxy> proxies;

    private Brokers(@Nullable RabbitCluster cluster, List<RabbitNode> nodes) {
        this.cluster = cluster;
        this.nodes = nodes;
        this.proxies = nodes.stream()
                .map(RabbitNode::broker)
                .map(broker -> TcpProxy.to(broker.host(), broker.port()))
                .toList();
    }

    static Brokers start(boolean clustered) {
        if (clustered) {
            RabbitCluster cluster = RabbitCluster.start(CLUSTER);
            return new Brokers(cluster, cluster.nodes());
        }
        return new Brokers(null, List.of(RabbitNode.start()));
    }

    List<RabbitNode> nodes() {
        return nodes;
    }

    List<TcpProxy> proxies() {
        return proxies;
    }

    /** How many connections are open to all of them. */
    int connections() {
        return proxies.stream().mapToInt(TcpProxy::connections).sum();
    }

    boolean isCluster() {
        return cluster != null;
    }

    String version() {
        return nodes.get(0).broker().version();
    }

    /** Of the proxies, beginning with a different one for each index, because a client takes the first that answers. */
    String addresses(int index) {
        return IntStream.range(0, proxies.size())
                .mapToObj(i ->
                        "127.0.0.1:" + proxies.get((index + i) % proxies.size()).port())
                .collect(Collectors.joining(","));
    }

    /** By name of queue, how many messages it has; asked of the node, which must run. */
    Map<String, Integer> messages(RabbitNode node) {
        Map<String, Integer> messages = new TreeMap<>();
        node.control("--silent", "list_queues", "--timeout", "20", "name", "messages")
                .lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(columns -> columns.length == 2 && columns[1].matches("\\d+"))
                .forEach(columns -> messages.put(columns[0], Integer.parseInt(columns[1])));
        return messages;
    }

    /** Waits until every durable queue survives the death of any node; the others are of one connection. */
    void awaitRegistered() {
        List<String> durable = nodes.get(0)
                .control("--silent", "list_queues", "--timeout", "20", "name", "durable")
                .lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(columns -> columns.length == 2 && columns[1].equals("true"))
                .map(columns -> columns[0])
                .toList();
        for (String queue : durable) {
            nodes.forEach(node -> node.awaitRegistered(VIRTUAL_HOST, queue));
        }
    }

    /** Waits until every node is a member of the queues of orders again; nothing to wait for without a cluster. */
    void awaitMembers() {
        if (cluster != null) {
            for (String node : List.of(Nodes.DEDUPLICATING, Nodes.FORGETFUL)) {
                cluster.awaitMembers(VIRTUAL_HOST, node + "-Order", CLUSTER);
            }
        }
    }

    /** Has a broker close the connection with this name. */
    void closeConnection(RabbitNode node, String name) {
        TestBroker broker = node.broker();
        broker.closeConnection(name);
    }

    /** Ends all faults of the network. */
    void healNetwork() {
        proxies.forEach(proxy -> {
            proxy.resume();
            proxy.accept();
        });
    }

    void copyLogs(Path folder) throws IOException {
        for (int i = 0; i < nodes.size(); i++) {
            Files.copy(nodes.get(i).log(), folder.resolve("broker-" + (i + 1) + ".log"));
        }
    }

    @Override
    public void close() {
        proxies.forEach(TcpProxy::close);
        if (cluster != null) {
            cluster.close();
        } else {
            nodes.forEach(RabbitNode::close);
        }
    }
}
