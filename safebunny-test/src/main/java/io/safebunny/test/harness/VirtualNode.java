// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.memory.MemoryBroker;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.scheduler.Choices;
import io.safebunny.test.scheduler.DeterministicScheduler;
import io.safebunny.test.scheduler.DeterministicScheduler.Limits;
import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A process of the application, a broker, and virtual time for both. Nothing runs before {@link #runUntilIdle}. For one test at a time, and
 * called by its thread.
 */
public final class VirtualNode implements AutoCloseable {

    private final DeterministicScheduler scheduler;
    private final SimulatedProcess process;
    private final HarnessBroker broker;
    private final Journal journal;
    private final @Nullable MemoryBroker memory;
    private volatile boolean clearing;
    private Duration waited = Duration.ZERO;

    /** With a broker in memory. */
    public VirtualNode(Limits limits) {
        this(limits, null);
    }

    /**
     * What it has of a real broker for itself.
     *
     * @param queuePrefix of all its queues, and the exchanges are its own, too; empty if the virtual host is its own
     */
    public record Room(TestBroker broker, String queuePrefix) {}

    /** @param room on a real broker; {@code null} for a broker in memory */
    public VirtualNode(Limits limits, @Nullable Room room) {
        scheduler = new DeterministicScheduler(Instant.parse("2030-01-01T00:00:00Z"), Choices.IN_ORDER, limits);
        process = scheduler.process("application");
        journal = new Journal(scheduler::now);
        if (room == null) {
            memory = new MemoryBroker(process.timeline(), process.executor());
            broker = new BrokerInMemory(memory, process);
        } else {
            memory = null;
            RealBroker rabbit = new RealBroker(room, process, () -> clearing);
            scheduler.awaits(rabbit.outside());
            broker = rabbit;
        }
    }

    public SimulatedProcess process() {
        return process;
    }

    /** The broker in memory; empty if it is a real one. */
    public Optional<MemoryBroker> memory() {
        return Optional.ofNullable(memory);
    }

    public Journal journal() {
        return journal;
    }

    /** How a node gets to the broker. */
    public Transport transport(String node, TopologyOptions options) {
        return new JournalTransport(
                node,
                broker.connect(node, options),
                journal,
                routingKey -> broker.acceptUnheard(options, routingKey),
                () -> clearing);
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

    /** Whether a task that an earlier test has begun hangs: nothing can run any more. */
    public boolean hangs() {
        return scheduler.isRunning();
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
        broker.forgetWaiting();
        scheduler.runUntilIdle();
        broker.forgetRest();
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
        try {
            scheduler.close();
        } finally {
            broker.close();
        }
    }
}
