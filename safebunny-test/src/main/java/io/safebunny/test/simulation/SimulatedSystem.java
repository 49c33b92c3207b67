// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.failure.MisuseException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.MessageTypes;
import io.safebunny.saga.SagaView;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The system to simulate: nodes with their handlers, messages from outside, and the conditions that must hold in the end. Declared again
 * for each run.
 */
public final class SimulatedSystem {

    /** Default retention. Longer than any delay in a run, because each message's record is checked in the end. */
    private static final Duration RETENTION = Duration.ofDays(366);

    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final List<Message> messages = new ArrayList<>();
    private final Map<String, Check> checks = new LinkedHashMap<>();
    private final Effects effects = new Effects();
    private @Nullable Duration retention;
    private Function<Timeline, MessageStore> stores =
            timeline -> new MemoryMessageStore(timeline, retention == null ? RETENTION : retention);
    private BiFunction<MessageStore, Timeline, MessageStore> storeClients = (store, timeline) -> store;
    private BiFunction<Transport, Timeline, Transport> transports = (transport, timeline) -> transport;

    private @Nullable Runnable repair;
    private final BiFunction<String, String, List<SagaView>> sagas;

    /** @param sagas returns the sagas of a node with an id */
    SimulatedSystem(BiFunction<String, String, List<SagaView>> sagas) {
        this.sagas = sagas;
    }

    /** @param beans makes the objects of one process, with their handlers; called for each process that begins */
    record Node(String name, int instances, Function<SimulatedNode, List<?>> beans) {}

    record Message(String node, Object payload, String correlationId) {
        /** "OrderPlaced of order-7" */
        String description() {
            return MessageTypes.nameOf(payload.getClass()) + " of " + correlationId;
        }
    }

    /** Checks a condition; throws if it does not hold. */
    @FunctionalInterface
    public interface Check {
        /** @throws AssertionError if the condition does not hold; any other exception counts too */
        void run() throws Exception;
    }

    /**
     * A node with a store of its own, which all of its instances share.
     *
     * @param instances from 1 to 9
     * @param beans makes the objects of one process: those with {@code @BunnyHandler} methods, and {@code @BunnySaga}s. Called for each
     *     process that begins
     */
    public SimulatedSystem node(String name, int instances, Function<SimulatedNode, List<?>> beans) {
        if (instances < 1 || instances > 9) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid number of instances [node=%s, instances=%s]: 1 to 9.".formatted(name, instances));
        }
        if (nodes.putIfAbsent(name, new Node(name, instances, beans)) != null) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "There are two nodes of one name [node=%s]. Declare it once.".formatted(name));
        }
        return this;
    }

    /** Publishes at the start, in the order of these calls, from a process without handlers that never fails. */
    public SimulatedSystem publish(String node, Object message, String correlationId) {
        messages.add(new Message(node, message, correlationId));
        return this;
    }

    /**
     * Retention of messages and ended sagas; by default longer than any run. If everything else holds, time advances by twice the retention
     * and everything published is delivered once more, as from a restored backup of the broker: none of it may be handled.
     *
     * @param other must be longer than an hour, because clocks may differ by as much, and longer than retries take
     */
    public SimulatedSystem retention(Duration other) {
        if (other.compareTo(Faults.SKEW) <= 0) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid retention [retention=%s]: longer than %s, by which clocks differ."
                            .formatted(other, Faults.SKEW));
        }
        retention = other;
        return this;
    }

    /** Adds a condition that must hold after all faults, when nothing happens any more. */
    public SimulatedSystem holds(String what, Check check) {
        checks.put(what, check);
        return this;
    }

    /**
     * Replaces each node's in-memory store. The store must not block in real time. A process that ends, or gets no answer, loses its
     * transactions. If messages share transactions, those that wait in a queue are handled together.
     *
     * @param other makes the store; called once for each node of each run
     */
    public SimulatedSystem stores(Function<Timeline, MessageStore> other) {
        stores = other;
        return this;
    }

    /** @param wrapper wraps the access to the node's store; called for each process that begins, with the process's time */
    public SimulatedSystem storeClients(BiFunction<MessageStore, Timeline, MessageStore> wrapper) {
        storeClients = wrapper;
        return this;
    }

    /** @param wrapper wraps the connection to the broker; called for each process that begins, with the process's time */
    public SimulatedSystem transports(BiFunction<Transport, Timeline, Transport> wrapper) {
        transports = wrapper;
        return this;
    }

    /**
     * Replays poison messages, as an operator would, after everything else is over and {@code mending} has run. If this is not called, no
     * message may become poison.
     *
     * @param mending removes the cause of the failures
     */
    public SimulatedSystem replaysAfter(Runnable mending) {
        repair = mending;
        return this;
    }

    /**
     * The sagas of a node with this id as they are now, for {@link #holds}.
     *
     * @throws MisuseException if there is no such node
     */
    public List<SagaView> sagas(String node, String sagaId) {
        if (!nodes.containsKey(node)) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "There is no such node [node=%s, known=%s].".formatted(node, nodes.keySet()));
        }
        return sagas.apply(node, sagaId);
    }

    /** The effects of handlers. */
    public Effects effects() {
        return effects;
    }

    @Nullable
    Runnable repair() {
        return repair;
    }

    /** The retention that was set; {@code null} for one that is longer than any run. */
    @Nullable
    Duration retention() {
        return retention;
    }

    MessageStore newStore(Timeline timeline) {
        return stores.apply(timeline);
    }

    MessageStore wrapped(MessageStore store, Timeline timeline) {
        return storeClients.apply(store, timeline);
    }

    Transport wrapped(Transport transport, Timeline timeline) {
        return transports.apply(transport, timeline);
    }

    Map<String, Node> nodes() {
        return nodes;
    }

    List<Message> messages() {
        return messages;
    }

    Map<String, Check> checks() {
        return checks;
    }
}
