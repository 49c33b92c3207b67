// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.PublishException;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Creates the nodes of one test, waits, and cleans up. For the test's thread only. */
final class TransportBench {

    private final TransportContract fixture;
    private final SystemTimeline timeline = new SystemTimeline("transport-contract");
    private final List<Transport> transports = new ArrayList<>();
    private final Set<String> queues = new LinkedHashSet<>();
    private final List<CountDownLatch> gates = new ArrayList<>();

    TransportBench(TransportContract fixture) {
        this.fixture = fixture;
    }

    /** A node that only publishes. */
    TestNode publisher(String name) {
        return started(plan(name, List.of()));
    }

    /** A node that has declared a queue for {@link TestNode#TYPE} from these nodes, but does not consume it yet. */
    TestNode subscriber(String name, TestNode... from) {
        List<String> publishers = Stream.of(from).map(TestNode::name).toList();
        return started(plan(name, List.of(new Subscription(TestNode.TYPE, publishers))));
    }

    /** A node that has declared a queue for {@link TestNode#TYPE} from these nodes that is consumed in order, see {@link TestNode#ordered}. */
    TestNode orderedSubscriber(String name, TestNode... from) {
        List<String> publishers = Stream.of(from).map(TestNode::name).toList();
        return started(plan(name, List.of(new Subscription(TestNode.TYPE, publishers, true))));
    }

    /** What a version of the node needs that takes its type from the publisher in order if this one does not, and the other way round. */
    Topology inTheOtherWay(TestNode node, TestNode publisher) {
        boolean isOrdered = node.topology().queues().stream().anyMatch(Topology.Queue::hasSingleActiveConsumer);
        return TopologyPlanner.plan(
                node.name(),
                List.of(new Subscription(TestNode.TYPE, List.of(publisher.name()), !isOrdered)),
                node.topology().options());
    }

    /** Another instance of the node. */
    TestNode instanceOf(TestNode node) {
        return started(node.topology());
    }

    private Topology plan(String name, List<Subscription> subscriptions) {
        String unique = name + "." + UUID.randomUUID().toString().substring(0, 8);
        return TopologyPlanner.plan(unique, subscriptions, fixture.topologyOptions());
    }

    private TestNode started(Topology topology) {
        Transport transport = transport(topology.node());
        topology.queues().stream()
                .map(Topology.Queue::name)
                .filter(queue -> queue.startsWith(topology.node())) // others may belong to other nodes too
                .forEach(queues::add);
        transport.start(topology);
        return new TestNode(this, topology, transport);
    }

    /** A transport that is not started. */
    Transport transport(String node) {
        Transport transport = fixture.newTransport(node);
        transports.add(transport);
        return transport;
    }

    /** A gate at which a handler can wait. It is opened at the end of the test at the latest. */
    CountDownLatch gate() {
        CountDownLatch gate = new CountDownLatch(1);
        gates.add(gate);
        return gate;
    }

    ConditionFactory await() {
        return Awaitility.await()
                .dontCatchUncaughtExceptions() // uncaught exceptions may belong to a test that runs concurrently
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .atMost(patience());
    }

    boolean connectsInstances() {
        return fixture.connectsInstances();
    }

    Duration patience() {
        return fixture.patience();
    }

    /** The deadline of a publication that begins now. */
    Deadline deadline() {
        return Deadline.after(patience(), timeline);
    }

    void awaitSuccess(CompletableFuture<?> future) {
        assertThat(future).succeedsWithin(patience());
    }

    void awaitFailure(CompletableFuture<?> future, Class<? extends PublishException> failure) {
        assertThat(future)
                .failsWithin(patience())
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(failure);
    }

    void close() {
        gates.forEach(CountDownLatch::countDown);
        try {
            transports.forEach(Transport::close);
        } finally {
            timeline.close();
            fixture.cleanUp(Set.copyOf(queues));
        }
    }
}
