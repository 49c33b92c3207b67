// SPDX-License-Identifier: Apache-2.0
package io.safebunny.memory;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.WireMessage;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Cancellable;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.Topology.Queue;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A broker in this JVM, shared by one {@link MemoryTransport} per node: exchanges with exact routing keys, first-in first-out
 * queues, round robin among consumers, redelivery of unsettled messages, and delays that are never early and keep the order of
 * messages due at the same time. Thread-safe.
 *
 * <p>Not simulated: delivery limits, time to live, length limits. Messages are lost when the JVM ends.
 */
public final class MemoryBroker {

    private final Timeline timeline;
    private final Executor executor;

    private final Object lock = new Object();
    private final Map<String, MemoryQueue> queues = new TreeMap<>();
    private final Map<Address, Set<MemoryQueue>> bindings = new HashMap<>();
    private final PriorityQueue<DelayedMessage> delayed = new PriorityQueue<>();
    private final Map<ControlAddress, List<Consumer<byte[]>>> instances = new ConcurrentHashMap<>();
    private long delays;

    /**
     * @param timeline times the delays
     * @param executor runs each delivery as one task. Must have a thread for each delivery that may block at the same time, and
     *     must not run tasks on the calling thread. A consumer whose task is rejected is cut off
     */
    public MemoryBroker(Timeline timeline, Executor executor) {
        this.timeline = timeline;
        this.executor = executor;
    }

    Executor executor() {
        return executor;
    }

    /** Number of ready messages in the queue: neither delivered nor delayed. */
    public int depth(String queue) {
        return messages(queue).size();
    }

    /** The ready messages in order; they stay in the queue. */
    public List<WireMessage> messages(String queue) {
        synchronized (lock) {
            return require(queue).messages();
        }
    }

    /** Whether no message is delayed, delivered but unsettled, or ready in a queue that is consumed. */
    public boolean isIdle() {
        synchronized (lock) {
            return delayed.isEmpty() && queues.values().stream().allMatch(MemoryQueue::isIdle);
        }
    }

    /** Messages that consumers have taken but not settled. */
    public List<IncomingMessage> unsettled() {
        synchronized (lock) {
            return queues.values().stream().flatMap(MemoryQueue::unsettled).toList();
        }
    }

    /** Deletes all ready and delayed messages. Queues, bindings, consumers and messages taken by them stay. */
    public void clear() {
        List<DelayedMessage> forgotten;
        synchronized (lock) {
            queues.values().forEach(MemoryQueue::clear);
            forgotten = List.copyOf(delayed);
            delayed.clear();
        }
        forgotten.forEach(message -> message.timer.cancel());
    }

    /** Applies the whole topology, or nothing if a queue exists with other arguments. A repeat is harmless. */
    void apply(Topology topology) {
        synchronized (lock) {
            topology.queues().forEach(this::refuseClash);
            topology.rivals().stream().filter(queues::containsKey).findFirst().ifPresent(rival -> {
                throw topology.rivalExists(rival);
            });
            for (Queue queue : topology.queues()) {
                queues.computeIfAbsent(queue.name(), name -> new MemoryQueue(this, queue));
                bind(new Binding(topology.options().retryExchange(), queue.name(), queue.name()));
            }
            topology.bindings().forEach(this::bind);
        }
    }

    private void bind(Binding binding) {
        bindings.computeIfAbsent(
                        new Address(binding.exchange(), binding.routingKey()), address -> new LinkedHashSet<>())
                .add(require(binding.queue()));
    }

    private void refuseClash(Queue wanted) {
        MemoryQueue found = queues.get(wanted.name());
        if (found == null || found.arguments().equals(wanted.arguments())) {
            return;
        }
        throw new ConfigurationException(
                "SB-1201",
                "Queue '%s' cannot be declared: it exists with other arguments (found %s, must be %s)."
                        .formatted(wanted.name(), new TreeMap<>(found.arguments()), new TreeMap<>(wanted.arguments())),
                "Give all instances of the node the same safebunny.topology.* settings, or create a new MemoryBroker.");
    }

    private MemoryQueue require(String name) {
        MemoryQueue queue = queues.get(name);
        if (queue == null) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "There is no queue '%s', only %s. The node that declares it must be started first."
                            .formatted(name, queues.keySet()));
        }
        return queue;
    }

    /** @return whether a queue is bound to the address; if not, the message was not accepted */
    boolean send(Address to, WireMessage message, Duration delay, Purpose purpose) {
        synchronized (lock) {
            if (!bindings.containsKey(to)) {
                return false;
            }
        }
        if (delay.isZero() || delay.isNegative()) {
            change(afterwards -> route(to, message, afterwards));
        } else {
            hold(to, message, delay, purpose);
        }
        return true;
    }

    /**
     * Call it with the lock held.
     *
     * @return whether a queue is bound to the address
     */
    boolean routed(Address to, WireMessage message, List<Runnable> afterwards) {
        route(to, message, afterwards);
        return bindings.containsKey(to);
    }

    private void route(Address to, WireMessage message, List<Runnable> afterwards) {
        for (MemoryQueue queue : bindings.getOrDefault(to, Set.of())) {
            queue.add(to, message);
            queue.handOut(afterwards);
        }
    }

    private void hold(Address to, WireMessage message, Duration delay, Purpose purpose) {
        synchronized (lock) {
            long due = timeline.nanoTime() + delay.toNanos();
            Cancellable timer = timeline.schedule(purpose, delay, this::releaseDue);
            delayed.add(new DelayedMessage(due, delays++, to, message, timer));
        }
    }

    /** Releases all messages that are due, in order, no matter which timer fires first. */
    private void releaseDue() {
        change(afterwards -> {
            long now = timeline.nanoTime();
            DelayedMessage next = delayed.peek();
            while (next != null && next.isDue(now)) {
                delayed.remove();
                route(next.to(), next.message(), afterwards);
                next = delayed.peek();
            }
        });
    }

    /** @param pace the pace to begin with */
    MemoryConsumption consume(String queueName, int prefetch, Pace pace, DeliveryHandler handler, Executor worker) {
        return consume(queueName, pace, queue -> new MemoryConsumption(this, queue, prefetch, handler, worker));
    }

    /** @param pace the pace to begin with */
    MemoryConsumption consumeOrdered(
            String queueName, int prefetch, Pace pace, DeliveryHandler handler, Executor worker) {
        return consume(queueName, pace, queue -> {
            if (!queue.hasSingleActiveConsumer()) {
                throw new MisuseException(
                        MisuseException.ARGUMENT,
                        "Queue '%s' cannot be consumed in order: it has no single active consumer. Declare it with %s=true."
                                .formatted(queueName, Topology.SINGLE_ACTIVE_CONSUMER));
            }
            return new OrderedMemoryConsumption(this, queue, prefetch, handler, worker);
        });
    }

    private MemoryConsumption consume(
            String queueName, Pace pace, Function<MemoryQueue, MemoryConsumption> newConsumption) {
        List<MemoryConsumption> created = new ArrayList<>(1);
        change(afterwards -> {
            MemoryQueue queue = require(queueName);
            MemoryConsumption consumption = newConsumption.apply(queue);
            consumption.beginAt(pace);
            queue.add(consumption);
            queue.handOut(afterwards);
            created.add(consumption);
        });
        return created.get(0);
    }

    void join(ControlAddress address, Consumer<byte[]> instance) {
        instances.compute(address, (same, others) -> {
            List<Consumer<byte[]>> all = others == null ? new CopyOnWriteArrayList<>() : others;
            all.add(instance);
            return all;
        });
    }

    void leave(ControlAddress address, Consumer<byte[]> instance) {
        instances.computeIfPresent(address, (same, all) -> {
            all.remove(instance);
            return all.isEmpty() ? null : all;
        });
    }

    void tell(ControlAddress to, byte[] message) {
        instances.getOrDefault(to, List.of()).forEach(instance -> instance.accept(message));
    }

    MemoryBrowsing browse(String queue) {
        synchronized (lock) {
            return new MemoryBrowsing(this, found(queue), queue);
        }
    }

    int consumers(String queue) {
        synchronized (lock) {
            return found(queue).consumers();
        }
    }

    private MemoryQueue found(String queue) {
        MemoryQueue found = queues.get(queue);
        if (found == null) {
            throw BrowsingException.denied(
                    queue, "there is no such queue. A node that handles nothing has none.", null);
        }
        return found;
    }

    /** Cuts off all these consumptions before messages are handed out again, so that no message moves from one of them to another. */
    void cutOff(Collection<MemoryConsumption> consumptions) {
        change(afterwards -> {
            consumptions.forEach(consumption -> consumption.cutOff(afterwards));
            consumptions.forEach(consumption -> consumption.queue().handOut(afterwards));
        });
    }

    /** Makes a change under the lock. Then runs the actions that the change has added, without the lock, because they call foreign code. */
    void change(Consumer<List<Runnable>> change) {
        List<Runnable> afterwards = new ArrayList<>();
        synchronized (lock) {
            change.accept(afterwards);
        }
        afterwards.forEach(Runnable::run);
    }

    void schedule(Duration delay, Consumer<List<Runnable>> change) {
        timeline.schedule(Purpose.PROGRESS, delay, () -> change(change));
    }

    void execute(MemoryDelivery delivery) {
        try {
            delivery.consumption().executor().execute(delivery::run);
        } catch (RejectedExecutionException e) {
            // the delivery cannot be handled here; cutting off its consumer puts the message back
            cutOff(List.of(delivery.consumption()));
        }
    }

    /** The exchange and routing key a message is sent to. */
    record Address(String exchange, String routingKey) {}

    private record DelayedMessage(long due, long order, Address to, WireMessage message, Cancellable timer)
            implements Comparable<DelayedMessage> {

        boolean isDue(long now) {
            return due - now <= 0; // compare the difference, because nanoTime may overflow
        }

        @Override
        public int compareTo(DelayedMessage other) {
            return due == other.due ? Long.compare(order, other.order) : Long.signum(due - other.due);
        }
    }
}
