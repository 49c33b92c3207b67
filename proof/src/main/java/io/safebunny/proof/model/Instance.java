// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One instance of a node, which can end at any point: from then on it reaches neither broker nor store, and its timers are gone. */
public final class Instance {

    private final World world;
    private final String node;
    private final Transport broker;
    private final SafeBunnyEngine engine;
    private boolean dead;

    Instance(World world, String node, @Nullable MessageStore store) {
        this.world = world;
        this.node = node;
        this.broker = new MemoryTransport(world.broker(), TopologyOptions.defaults());
        this.engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node).withLease(world.lease()), new MortalTransport(), new MortalTimeline())
                .store(store == null ? null : new MortalStore(this, store))
                .callbacks(task -> world.later(() -> alive(task)))
                .meterRegistry(world.meters())
                .build());
    }

    void start(List<HandlerDefinition> handlers, List<SagaDefinition> sagas) {
        engine.start(handlers, sagas);
    }

    public String node() {
        return node;
    }

    public SafeBunnyEngine engine() {
        return engine;
    }

    public boolean isDead() {
        return dead;
    }

    /** Ends it as the loss of the process does: the broker delivers again what is unsettled. */
    public void die() {
        dead = true;
        broker.close();
    }

    void stop() {
        if (!dead) {
            engine.stop(Duration.ofSeconds(1));
            dead = true;
        }
    }

    /** Passes a point, unless the instance ends there or has ended. */
    void pass() {
        requireAlive();
        world.fate().reached(this);
        requireAlive();
    }

    void requireAlive() {
        if (dead) {
            throw new Crash();
        }
    }

    World world() {
        return world;
    }

    private void alive(Runnable task) {
        if (!dead) {
            try {
                task.run();
            } catch (Crash ended) {
                return;
            }
        }
    }

    private final class MortalTransport implements Transport {

        @Override
        public void start(Topology topology) {
            broker.start(topology);
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            pass();
            world.sent(Instance.this, message);
            CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);
            for (int arrival = world.fate().arrivals(message); arrival > 0; arrival--) {
                sent = broker.send(message, deadline);
            }
            pass();
            return sent;
        }

        @Override
        public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
            return broker.consume(queue, prefetch, delivery -> alive(() -> handler.handle(delivery)));
        }

        @Override
        public TransportStatus status() {
            return broker.status();
        }

        @Override
        public void close() {
            broker.close();
        }
    }

    private final class MortalTimeline extends ForwardingTimeline {

        MortalTimeline() {
            super(world.timeline());
        }

        @Override
        public Cancellable schedule(Purpose purpose, Duration delay, Runnable task) {
            return super.schedule(purpose, delay, () -> alive(task));
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            requireAlive();
            super.sleep(duration);
            requireAlive();
        }

        @Override
        public <T> T await(CompletableFuture<T> future, Duration timeout)
                throws InterruptedException, ExecutionException, TimeoutException {
            requireAlive();
            T result = super.await(future, timeout);
            requireAlive();
            return result;
        }
    }
}
