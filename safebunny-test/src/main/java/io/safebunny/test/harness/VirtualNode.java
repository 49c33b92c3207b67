// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.spi.transport.Transport;
import io.safebunny.test.scheduler.Choices;
import io.safebunny.test.scheduler.DeterministicScheduler;
import io.safebunny.test.scheduler.DeterministicScheduler.Limits;
import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.memory.MemoryBroker;
import io.safebunny.transport.memory.MemoryTransport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A process of the application, a broker, and virtual time for both. Nothing runs before {@link #runUntilIdle}. For one test at a time, and
 * called by its thread.
 */
public final class VirtualNode implements AutoCloseable {

    private final DeterministicScheduler scheduler;
    private final SimulatedProcess process;
    private final MemoryBroker broker;
    private final Journal journal;
    private volatile boolean clearing;
    private Duration waited = Duration.ZERO;

    public VirtualNode(Limits limits) {
        scheduler = new DeterministicScheduler(Instant.parse("2030-01-01T00:00:00Z"), Choices.IN_ORDER, limits);
        process = scheduler.process("application");
        broker = new MemoryBroker(process.timeline(), process.executor());
        journal = new Journal(scheduler::now);
    }

    public SimulatedProcess process() {
        return process;
    }

    public MemoryBroker broker() {
        return broker;
    }

    public Journal journal() {
        return journal;
    }

    /** How a node gets to the broker. */
    public Transport transport(String node, TopologyOptions options) {
        MemoryTransport own = new MemoryTransport(broker, options, process::begin);
        return new JournalTransport(
                node, own, journal, new UnheardMessages(new MemoryTransport(broker, options), options), () -> clearing);
    }

    /** As {@link DeterministicScheduler#runUntilIdle}. */
    public void runUntilIdle() {
        Duration before = scheduler.elapsed();
        scheduler.runUntilIdle();
        waited = waited.plus(scheduler.elapsed().minus(before));
    }

    /** As {@link DeterministicScheduler#advance}, and what follows from it. */
    public void advance(Duration duration) {
        scheduler.advance(duration);
        runUntilIdle();
    }

    public boolean isIdle() {
        return scheduler.isIdle() && broker.unsettled().isEmpty();
    }

    /** Time that {@link #runUntilIdle} has let pass in this test: waits of the library, which no test should have to know. */
    public Duration waited() {
        return waited;
    }

    /** Forgets messages and what happened, and lets what is under way end. Time does not go back. */
    public void clear() {
        clearing = true;
        broker.clear();
        scheduler.runUntilIdle();
        broker.clear();
        clearing = false;
        journal.clear();
        waited = Duration.ZERO;
    }

    /** Deliveries that nobody settles any more, a line each. */
    public List<String> unsettled() {
        return broker.unsettled().stream()
                .map(incoming -> "%s of queue %s".formatted(incoming.message(), incoming.queue()))
                .toList();
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
