// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.memory.MemoryBroker;
import io.safebunny.test.harness.broker.BrokerInMemory;
import io.safebunny.test.harness.broker.HarnessBroker;
import io.safebunny.test.harness.broker.RealBroker;
import io.safebunny.test.harness.broker.RealBroker.Room;
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
 * A process of the application and a broker in virtual time. Nothing runs before {@link #runUntilIdle}. For one test at a time, on its
 * thread.
 */
public final class VirtualNode implements AutoCloseable {

    /** When virtual time begins, unless a test says otherwise. */
    public static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");

    private final DeterministicScheduler scheduler;
    private final SimulatedProcess process;
    private final HarnessBroker broker;
    private final Journal journal;
    private final @Nullable MemoryBroker memory;
    private volatile boolean clearing;
    private Duration waited = Duration.ZERO;

    /** A node with a broker in memory. */
    public VirtualNode(Limits limits) {
        this(limits, BEGIN);
    }

    /** A node with a broker in memory, whose time begins then. */
    public VirtualNode(Limits limits, Instant begin) {
        this(limits, begin, null);
    }

    /** @param room on a real broker; {@code null} for a broker in memory */
    public VirtualNode(Limits limits, @Nullable Room room) {
        this(limits, BEGIN, room);
    }

    private VirtualNode(Limits limits, Instant begin, @Nullable Room room) {
        scheduler = new DeterministicScheduler(begin, Choices.IN_ORDER, limits);
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

    /** A transport for a node. */
    public Transport transport(String node, TopologyOptions options) {
        return new JournalTransport(
                node,
                broker.connect(node, options),
                journal,
                routingKey -> broker.acceptUnheard(options, routingKey),
                () -> clearing);
    }

    /** See {@link DeterministicScheduler#runUntilIdle}. */
    public void runUntilIdle() {
        Duration before = scheduler.elapsed();
        scheduler.runUntilIdle();
        waited = waited.plus(scheduler.elapsed().minus(before));
    }

    /** Like {@link DeterministicScheduler#advance}, and then runs until idle. */
    public void advance(Duration duration) {
        scheduler.advance(duration);
        runUntilIdle();
    }

    /** Whether a task of an earlier test hangs, so that nothing can run any more. */
    public boolean hangs() {
        return scheduler.isRunning();
    }

    public boolean isIdle() {
        return scheduler.isIdle() && broker.unsettled().isEmpty();
    }

    /** Time that {@link #runUntilIdle} skipped in this test: the library's own delays, which tests should not depend on. */
    public Duration waited() {
        return waited;
    }

    /** Discards all messages and the journal, and lets running work end. Time does not go back. */
    public void clear() {
        clearing = true;
        broker.forgetWaiting();
        scheduler.runUntilIdle();
        broker.forgetRest();
        clearing = false;
        journal.clear();
        waited = Duration.ZERO;
    }

    /** Deliveries that will never be settled, one per line. */
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
