// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.versions;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.test.scheduler.Choices;
import io.safebunny.test.scheduler.DeterministicScheduler;
import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Instances of nodes whose payload classes have different versions, in virtual time, with one broker and a store for each node. */
final class VersionWorld implements AutoCloseable {

    static final RecoveryPolicy ONE_RETRY =
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.after(Duration.ofSeconds(10)));

    /** One process. */
    record Instance(
            SimulatedProcess process, SafeBunnyEngine engine, MemoryTransport transport, SimpleMeterRegistry meters) {

        void publishes(Object payload, PublishOptions options) {
            process.begin(() -> {
                Published unused = engine.bunny().publish(payload, options);
            });
        }

        void stops() {
            process.begin(() -> engine.stop(Duration.ofSeconds(30)));
        }

        /** How often a message has come back because of its version. */
        double newer() {
            return meters.counter("safebunny.newer", "type", "NameChanged").count();
        }
    }

    final DeterministicScheduler scheduler = new DeterministicScheduler(VirtualTimeline.START, Choices.IN_ORDER);
    final MemoryBroker broker;
    private final SimulatedProcess others = scheduler.process("broker and stores");
    private final Map<String, MemoryMessageStore> stores = new HashMap<>();
    private int instances;

    VersionWorld() {
        broker = new MemoryBroker(others.timeline(), others.executor());
    }

    Instance start(String node, HandlerDefinition... handlers) {
        return start(node, List.of(handlers), List.of());
    }

    Instance start(String node, List<HandlerDefinition> handlers, List<SagaDefinition> sagas) {
        SimulatedProcess process = scheduler.process(node + instances++);
        MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults(), process::begin);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        SafeBunnyEngine engine =
                new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(node), transport, process.timeline())
                        .store(stores.computeIfAbsent(
                                node, unknown -> new MemoryMessageStore(others.timeline(), Duration.ofDays(7))))
                        .scheduling(true)
                        .callbacks(process.executor())
                        .meterRegistry(meters)
                        .build());
        process.begin(() -> engine.start(handlers, sagas));
        scheduler.advance(Duration.ofMillis(1));
        return new Instance(process, engine, transport, meters);
    }

    static HandlerDefinition handler(String from, String type, Class<?> payload, HandlerInvoker invoker) {
        return new HandlerDefinition(
                "on(%s)".formatted(payload.getSimpleName()), type, payload, List.of(from), 10, ONE_RETRY, invoker);
    }

    /** Sends it as the broker would deliver it. */
    void send(Instance sender, WireMessage message) {
        OutboundMessage outbound = new OutboundMessage(
                message, new Route.ToSubscribers("%s-%s".formatted(message.appId(), message.type())), Duration.ZERO);
        sender.process().begin(() -> {
            Object unused = sender.transport()
                    .send(
                            outbound,
                            Deadline.after(
                                    Duration.ofSeconds(5), sender.process().timeline()));
        });
        scheduler.advance(Duration.ofMillis(1));
    }

    void advance(Duration duration) {
        scheduler.advance(duration);
    }

    int poison(String node) {
        return broker.depth(node + "-poison");
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
