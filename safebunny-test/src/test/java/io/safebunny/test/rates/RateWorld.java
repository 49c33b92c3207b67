// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.rates;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.Published;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.rate.HandlingRate;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.scheduler.Choices;
import io.safebunny.test.scheduler.DeterministicScheduler;
import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Instances of one node whose handler has a rate, in virtual time, with one broker and one store. */
final class RateWorld implements AutoCloseable {

    static final String QUEUE = "mailer-MailRequested";
    static final RecoveryPolicy ONCE = RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none());

    record MailRequested(int number) {}

    /** What a handler does after its beginning was noted. */
    interface Work {
        void done(MailRequested mail, Timeline timeline) throws Exception;
    }

    /** One process. */
    record Instance(
            SimulatedProcess process,
            SafeBunnyEngine engine,
            CircuitBreakers breakers,
            MemoryTransport transport,
            SimpleMeterRegistry meters) {

        State state() {
            return breakers.state(MailRequested.class);
        }

        /** It ends at once, and the broker notices. */
        void dies() {
            process.end();
            transport.close();
        }
    }

    final DeterministicScheduler scheduler = new DeterministicScheduler(VirtualTimeline.START, Choices.IN_ORDER);
    final MemoryMessageStore store;
    final MemoryBroker broker;
    /** When handlers began. */
    final List<Duration> begun = new ArrayList<>();
    /** By which attempt, in the same order. */
    final List<Integer> attempts = new ArrayList<>();

    RecoveryPolicy recovery = ONCE;
    final List<ConsumeMiddleware> middlewares = new ArrayList<>();
    int prefetch = 10;
    /** How long a claim takes. */
    final Duration[] claim = {Duration.ZERO};

    Work work = (mail, timeline) -> timeline.sleep(Duration.ofMillis(50));

    /** What instances have sent back to their queue. */
    int copies;

    private final Instance desk;
    private int instances;

    RateWorld() {
        SimulatedProcess others = scheduler.process("broker and store");
        store = new MemoryMessageStore(others.timeline(), Duration.ofDays(7));
        broker = new MemoryBroker(others.timeline(), others.executor());
        desk = start("desk", process("desk", Duration.ZERO), null, List.of());
        scheduler.runUntilIdle();
    }

    /** An instance with this store and this rate. */
    Instance start(String rate, Duration skew, @Nullable MessageStore kept) {
        SimulatedProcess process = process("mailer", skew);
        return start(
                "mailer", process, slow(kept, claim, process.timeline()), List.of(handler(rate, process.timeline())));
    }

    HandlerDefinition handler(String rate, Timeline timeline) {
        HandlerInvoker invoker = (payload, context) -> {
            begun.add(scheduler.elapsed());
            attempts.add(context.attempt());
            work.done((MailRequested) payload, timeline);
        };
        return new HandlerDefinition(
                        "mailer.on(MailRequested)",
                        "MailRequested",
                        MailRequested.class,
                        List.of("desk"),
                        prefetch,
                        recovery,
                        invoker)
                .limited(HandlingRate.parse(rate));
    }

    Instance start(String rate) {
        return start(rate, Duration.ZERO, store);
    }

    private SimulatedProcess process(String node, Duration skew) {
        SimulatedProcess process = scheduler.process(node + instances++);
        process.skew(skew);
        return process;
    }

    private Instance start(
            String node, SimulatedProcess process, @Nullable MessageStore kept, List<HandlerDefinition> handlers) {
        MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults(), process::begin);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        SafeBunnyParts parts = SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node), counting(transport), process.timeline())
                .store(kept)
                .callbacks(process.executor())
                .meterRegistry(meters)
                .consumeMiddlewares(List.copyOf(middlewares))
                .build();
        SafeBunnyEngine engine = new SafeBunnyEngine(parts);
        process.begin(() -> engine.start(handlers));
        return new Instance(process, engine, parts.breakers(), transport, meters);
    }

    private Transport counting(MemoryTransport transport) {
        return new ForwardingTransport(transport) {
            @Override
            public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                if (message.route() instanceof Route.ToQueue to
                        && to.routingKey().equals(QUEUE)) {
                    copies++;
                }
                return super.send(message, deadline);
            }
        };
    }

    private static @Nullable MessageStore slow(@Nullable MessageStore store, Duration[] claim, Timeline timeline) {
        return store == null
                ? null
                : new ForwardingMessageStore(store) {
                    @Override
                    public MessageRecord create(MessageRecord record) {
                        if (!isSchedule(record.key()) && !claim[0].isZero()) {
                            try {
                                timeline.sleep(claim[0]);
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        }
                        return super.create(record);
                    }
                };
    }

    /** The store, whose schedules cannot be read while this throws. */
    MessageStore unreadable(Runnable check) {
        return new ForwardingMessageStore(store) {
            private void require(RecordKey key) {
                if (isSchedule(key)) {
                    check.run();
                }
            }

            @Override
            public @Nullable MessageRecord find(RecordKey key) {
                require(key);
                return super.find(key);
            }

            @Override
            public @Nullable MessageRecord replace(MessageRecord record) {
                require(record.key());
                return super.replace(record);
            }
        };
    }

    private static boolean isSchedule(RecordKey key) {
        return key.messageId().contains("bunny.rate");
    }

    void publish(int count) {
        desk.process().begin(() -> {
            for (int number = 0; number < count; number++) {
                Published unused = desk.engine().bunny().publish(new MailRequested(number));
            }
        });
    }

    /** In any window of this length, the most beginnings. */
    long most(Duration window) {
        long most = 0;
        int first = 0;
        for (int last = 0; last < begun.size(); last++) {
            while (begun.get(last).minus(begun.get(first)).compareTo(window) >= 0) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }

    long begunBetween(Duration from, Duration to) {
        return begun.stream()
                .filter(at -> at.compareTo(from) >= 0 && at.compareTo(to) < 0)
                .count();
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
