// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Nodes of one broker in memory and in virtual time, all on the caller's thread. Confined to one thread. */
public final class World {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration RETENTION = Duration.ofDays(7);
    private static final Duration DELAY = Duration.ofSeconds(5);
    private static final RecoveryPolicy POLICY =
            RecoveryPolicy.of(RetryStrategy.none(), new RetryStrategy(List.of(DELAY, DELAY), 0));
    private static final int PREFETCH = 10;

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<Runnable> tasks = new ArrayList<>();
    private final MemoryBroker broker = new MemoryBroker(timeline, tasks::add);
    private final List<Instance> instances = new ArrayList<>();
    private final @Nullable Random order;
    private Fate fate = Fate.KIND;
    private BiConsumer<Instance, OutboundMessage> witness = (instance, message) -> {};

    /** @param order chooses what happens next of what may; {@code null} for one after the other */
    public World(@Nullable Random order) {
        this.order = order;
    }

    public VirtualTimeline timeline() {
        return timeline;
    }

    public MemoryBroker broker() {
        return broker;
    }

    public Duration lease() {
        return LEASE;
    }

    SimpleMeterRegistry meters() {
        return meters;
    }

    Fate fate() {
        return fate;
    }

    public void be(Fate other) {
        fate = other;
    }

    /** @param other is told of everything that is sent, before it is */
    public void witness(BiConsumer<Instance, OutboundMessage> other) {
        witness = other;
    }

    void sent(Instance instance, OutboundMessage message) {
        witness.accept(instance, message);
    }

    void later(Runnable task) {
        tasks.add(task);
    }

    public MemoryMessageStore newStore() {
        return new MemoryMessageStore(timeline, RETENTION);
    }

    /** What a node without sagas does with one type. */
    public static HandlerDefinition handler(String from, Class<?> payload, HandlerInvoker invoker) {
        String type = MessageTypes.nameOf(payload);
        return new HandlerDefinition("proof.on(" + type + ")", type, payload, List.of(from), PREFETCH, POLICY, invoker);
    }

    public Instance start(
            String node, @Nullable MessageStore store, List<HandlerDefinition> handlers, Object... sagas) {
        Instance instance = new Instance(this, node, store);
        instance.start(handlers, definitions(sagas));
        instances.add(instance);
        return instance;
    }

    private static List<SagaDefinition> definitions(Object... sagas) {
        if (sagas.length == 0) {
            return List.of();
        }
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (Object saga : sagas) {
            beans.registerSingleton(saga.getClass().getSimpleName(), saga);
        }
        HandlerDefaults defaults = new HandlerDefaults(
                PREFETCH, new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0), POLICY.delayed());
        return new SagaScanner(beans, defaults, null).sagas();
    }

    /** An instance of the node that runs. */
    public Instance instance(String node) {
        return instances.stream()
                .filter(instance -> !instance.isDead() && instance.node().equals(node))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "No instance of %s runs. The test must start one first.".formatted(node)));
    }

    public void stop(String node) {
        instances.stream().filter(instance -> instance.node().equals(node)).forEach(Instance::stop);
        instances.removeIf(Instance::isDead);
    }

    /** Removes the instances that have ended. */
    List<Instance> bury() {
        List<Instance> dead = instances.stream().filter(Instance::isDead).toList();
        instances.removeAll(dead);
        return dead;
    }

    public Bunny bunny(String node) {
        return instance(node).engine().bunny();
    }

    public @Nullable SagaView saga(String node, String id) {
        List<SagaView> found = instance(node).engine().get(Sagas.class).find(id);
        return found.isEmpty() ? null : found.get(0);
    }

    /** One of several classes that may have a saga of the id. */
    public @Nullable SagaView saga(String node, String saga, String id) {
        return instance(node).engine().get(Sagas.class).find(saga, id).orElse(null);
    }

    public void publish(String node, Object message, String correlationId) {
        bunny(node).publish(message, PublishOptions.none().withCorrelationId(correlationId));
    }

    /** As a person does who moves a poison copy back to its queue. */
    public void replay(String node, WireMessage copy) {
        OutboundMessage message = new OutboundMessage(copy, new Route.ToQueue(node + "-" + copy.type()), Duration.ZERO);
        new MemoryTransport(broker, TopologyOptions.defaults())
                .send(message, Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
    }

    boolean runNext() {
        if (tasks.isEmpty()) {
            return false;
        }
        tasks.remove(order == null ? 0 : order.nextInt(tasks.size())).run();
        return true;
    }

    /** Runs everything that can run without time passing. */
    public void settle() {
        while (runNext()) {
            // one after the other
        }
    }

    /** Lets time pass in steps, and everything happen that is due. */
    public void pass(Duration duration, Duration step) {
        settle();
        for (Duration left = duration; left.compareTo(Duration.ZERO) > 0; left = left.minus(step)) {
            timeline.advance(left.compareTo(step) < 0 ? left : step);
            settle();
        }
    }
}
