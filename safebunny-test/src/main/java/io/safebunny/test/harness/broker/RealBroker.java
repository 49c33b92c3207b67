// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.scheduler.Outside;
import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportProvider;
import java.net.URI;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * A RabbitMQ broker. Its transports work in real time, on their own threads. Deliveries are handled in virtual time, and delayed messages
 * wait in virtual time. Thread-safe.
 */
public final class RealBroker implements HarnessBroker {

    /**
     * The part of the broker that a node uses.
     *
     * @param queuePrefix prefix of all queues of a node that has its own exchanges; empty if the node has its own virtual host
     */
    public record Room(TestBroker broker, String queuePrefix) {}

    private final Room room;
    private final SimulatedProcess process;
    private final BooleanSupplier discards;
    private final SystemTimeline realTime = new SystemTimeline("safebunny-test-broker");
    private final ExecutorService workers = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "safebunny-test-delivery");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Transport> transports = new CopyOnWriteArrayList<>();
    private final BrokerDesk desk;
    private final Arrivals arrivals;
    private final HeldMessages held;
    /** Carries the nodes' control messages in memory; each node has one instance. */
    private final MemoryBroker instances;

    /**
     * @param room must not be shared with others
     * @param discards whether to drop all deliveries
     */
    public RealBroker(Room room, SimulatedProcess process, BooleanSupplier discards) {
        this.room = room;
        this.process = process;
        this.discards = discards;
        this.desk = new BrokerDesk(room.broker().connectionFactory(), room.queuePrefix());
        this.arrivals = new Arrivals(desk);
        this.held = new HeldMessages(process.timeline());
        this.instances = new MemoryBroker(process.timeline(), process.executor());
    }

    /** Predicts the deliveries of this broker. */
    public Outside outside() {
        return arrivals;
    }

    private static TransportProvider provider(URI broker) {
        for (TransportProvider provider :
                ServiceLoader.load(TransportProvider.class, RealBroker.class.getClassLoader())) {
            if (provider.knows(broker)) {
                return provider;
            }
        }
        throw new IllegalStateException(
                "Cannot test against a real broker [host=%s]: no transport for it on the class path. Add safebunny-rabbit, or the starter, which brings it."
                        .formatted(broker.getHost()));
    }

    @Override
    public Transport connect(String node, TopologyOptions options) {
        URI address = room.broker().uri();
        Transport rabbit = provider(address).create(address, node, workers, realTime);
        transports.add(rabbit);
        return new RealTransport(
                room.queuePrefix().isEmpty() ? rabbit : new RenamedQueues(rabbit, room.queuePrefix()),
                new MemoryTransport(instances, options),
                new RealTransport.Surroundings(options, process, arrivals, held, realTime, discards));
    }

    @Override
    public void acceptUnheard(TopologyOptions options, String routingKey) {
        desk.bindUnheard(options.mainExchange(), routingKey);
        arrivals.accept(options, routingKey);
    }

    @Override
    public List<IncomingMessage> unsettled() {
        return arrivals.unsettled();
    }

    @Override
    public void forgetWaiting() {
        held.clear();
    }

    @Override
    public void forgetRest() {
        held.clear();
        desk.purge(arrivals.filled());
        arrivals.forget();
    }

    @Override
    public void close() {
        transports.forEach(Transport::close);
        if (!room.queuePrefix().isEmpty()) { // without a prefix, everything is deleted with the virtual host
            desk.delete(arrivals.queues(), arrivals.exchanges());
        }
        desk.close();
        workers.shutdownNow();
        realTime.close();
    }
}
