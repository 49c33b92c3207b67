// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import io.safebunny.test.broker.server.Epmd;
import io.safebunny.test.broker.server.NodePlan;
import io.safebunny.test.broker.server.ServerRoot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Private {@link RabbitNode nodes} of the installed server that form a cluster on loopback. Thread-safe. The caller must close it; it also
 * ends with the JVM, however that ends.
 *
 * <p>Nodes are killed, paused, resumed and restarted one by one, and keep their ports and data. If a node is restarted while no other runs,
 * it does not wait for the others if the server keeps its metadata in Mnesia (3.x). With Khepri it needs a majority, so use {@link
 * #restart()} after more than half of the nodes have ended. A paused node counts as down after about 10 s, because the net tick time is set
 * shorter than the server's default of 60 s. If a node of 3.x was resumed after that, it was once seen not to rejoin within a minute.
 */
public final class RabbitCluster implements AutoCloseable {

    private static final Duration FORMED = Duration.ofSeconds(30);
    private static final Duration RECOVERED = Duration.ofSeconds(60);

    private static final JsonMapper JSON = new JsonMapper();

    private final Epmd epmd;
    private final List<RabbitNode> nodes;
    private final Thread hook = new Thread(this::end, "end-rabbit-cluster");

    private RabbitCluster(ServerRoot root, List<NodePlan> plans) {
        this.epmd = Epmd.start(root, plans.get(0).ports().epmd());
        this.nodes = plans.stream()
                .map(plan -> new RabbitNode(plan, this::nobodyRuns))
                .toList();
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts a cluster of the {@link RabbitNode#installedRoot() installed} server; returns once all nodes know each other. */
    public static RabbitCluster start(int nodes) {
        return start(RabbitNode.installedServer(), nodes);
    }

    /** Starts a cluster of the server under the root folder; returns once all nodes know each other. */
    public static RabbitCluster start(Path root, int nodes) {
        return start(RabbitNode.serverUnder(root), nodes);
    }

    private static RabbitCluster start(ServerRoot root, int nodes) {
        if (nodes < 1) {
            throw new IllegalArgumentException("Cannot start a cluster [nodes=" + nodes + "]: needs 1 or more.");
        }
        RabbitCluster cluster = new RabbitCluster(root, NodePlan.cluster(root, nodes));
        try {
            cluster.nodes.get(0).launch();
            together(cluster.nodes.subList(1, nodes), RabbitNode::launch);
            cluster.awaitFormed();
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** All nodes, running or not, in a fixed order. */
    public List<RabbitNode> nodes() {
        return nodes;
    }

    /**
     * Host and port of all nodes, in the form of {@code spring.rabbitmq.addresses}. User and password are those of any node's {@link
     * RabbitNode#broker() broker}.
     */
    public String addresses() {
        return nodes.stream()
                .map(node -> node.broker().host() + ":" + node.broker().port())
                .collect(Collectors.joining(","));
    }

    /**
     * Starts all nodes again, after an orderly stop of those that are running; returns when all accept connections. With Khepri they start
     * at the same time, because they need each other. With Mnesia they start one after another, beginning with the one that ended last,
     * which does not wait for the others. Otherwise, nodes that ended at almost the same time may wait for each other, each believing that
     * another has newer metadata, and nodes of 3.10 that boot at the same time may reject each other's feature flags as incompatible.
     */
    public void restart() {
        nodes.forEach(RabbitNode::stop);
        List<RabbitNode> lastFirst = nodes.stream()
                .sorted(Comparator.comparingLong(RabbitNode::lastEnd).reversed())
                .toList();
        if (lastFirst.get(0).hasMnesia()) {
            lastFirst.get(0).forceBoot();
            lastFirst.forEach(RabbitNode::launch);
        } else {
            together(nodes, RabbitNode::launch);
        }
    }

    /**
     * Waits until this many members of the quorum queue are up, as seen by one of the running nodes; a member may still have to catch up
     * with its leader.
     *
     * @throws BrokerUnavailableException if they are not up within a minute
     */
    public void awaitMembers(String virtualHost, String quorumQueue, int members) {
        try {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .ignoreException(BrokerUnavailableException.class)
                    .pollInterval(Duration.ofMillis(200))
                    .atMost(RECOVERED)
                    .until(() -> online(virtualHost, quorumQueue).size() == members);
        } catch (ConditionTimeoutException e) {
            throw new BrokerUnavailableException("Members of a quorum queue are not up [virtualHost=" + virtualHost
                    + ", queue=" + quorumQueue + "]: needs " + members + ", waited " + RECOVERED.toSeconds()
                    + " s. See that so many nodes run and that the queue is declared with x-queue-type=quorum.");
        }
    }

    /** Names of the nodes with a running member of the queue. Asks the broker itself, because the management plugin lags behind. */
    private List<String> online(String virtualHost, String queue) {
        RabbitNode running = nodes.stream()
                .filter(RabbitNode::isRunning)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No node of the cluster runs. Call restart() first."));
        String answer = running.control(
                "list_queues",
                "--vhost",
                virtualHost,
                "--timeout",
                "10",
                "--silent",
                "--formatter",
                "json",
                "name",
                "online");
        List<String> names = new ArrayList<>();
        for (JsonNode found : JSON.readTree(answer)) {
            if (queue.equals(found.path("name").asString())) {
                found.path("online").forEach(name -> names.add(name.asString()));
            }
        }
        return names;
    }

    /** Ends all nodes and deletes their folders; repeating it is harmless. */
    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyShuttingDown) {
            return;
        }
    }

    private void end() {
        nodes.forEach(RabbitNode::close);
        epmd.close();
    }

    private boolean nobodyRuns() {
        return nodes.stream().noneMatch(RabbitNode::isRunning);
    }

    private void awaitFormed() {
        ManagementApi management = nodes.get(0).broker().management();
        try {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .ignoreException(BrokerUnavailableException.class)
                    .pollInterval(Duration.ofMillis(100))
                    .atMost(FORMED)
                    .until(() -> management.runningNodes() == nodes.size());
        } catch (ConditionTimeoutException e) {
            throw new BrokerUnavailableException(
                    "The nodes run but form no cluster [nodes=" + nodes.size() + "]: waited "
                            + FORMED.toSeconds() + " s. See the end of the last node's log below.\n"
                            + nodes.get(nodes.size() - 1).logTail());
        }
    }

    private static void together(List<RabbitNode> nodes, Consumer<RabbitNode> action) {
        List<CompletableFuture<Void>> all = nodes.stream()
                .map(node -> CompletableFuture.runAsync(
                        () -> action.accept(node), task -> new Thread(task, "start-rabbit-node").start()))
                .toList();
        try {
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException e) {
            throw new BrokerUnavailableException("A node of the cluster did not start: see the cause.", e);
        }
    }
}
