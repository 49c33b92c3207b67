// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.MessageContext;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.harness.VirtualClock;
import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.test.simulation.process.ForbiddenCalls;
import io.safebunny.test.simulation.process.Scan;
import io.safebunny.test.simulation.process.Session;
import io.safebunny.test.simulation.run.Fault;
import io.safebunny.test.simulation.run.Place;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** One process of a node, from its beginning to its end. Confined to the run. */
final class Instance implements SimulatedNode {

    /** Shared by all runs, because they are expensive to create and stateless. */
    private static final Serializers SERIALIZERS = Serializers.ofEveryFormat(new JsonMessageSerializer(
            JsonMapper.shared(), SafeBunnyOptions.of("any").maxMessageSize()));

    private static final MeterRegistry METERS = recordingNothing();

    private static MeterRegistry recordingNothing() {
        MeterRegistry meters = new SimpleMeterRegistry();
        meters.config().meterFilter(MeterFilter.deny());
        return meters;
    }

    private final World world;
    private final String node;
    private final SimulatedProcess process;
    private final Session session;
    private final SafeBunnyEngine engine;
    private final @Nullable MessageStore store;
    private final Runnable afterCrash;

    /** @param afterCrash called once, when the process crashes */
    Instance(World world, String node, SimulatedProcess process, @Nullable MessageStore store, Runnable afterCrash) {
        this.world = world;
        this.node = node;
        this.process = process;
        this.afterCrash = afterCrash;
        this.store = store == null ? null : FaultyStore.of(store, this);
        this.session =
                new Session(() -> new MemoryTransport(world.broker(), TopologyOptions.defaults(), process::begin));
        this.engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        options(world.system().retention()),
                        new FaultyTransport(world.system().wrapped(session, process.timeline()), this),
                        process.timeline())
                .store(this.store == null ? null : world.system().wrapped(this.store, process.timeline()))
                .callbacks(process.executor())
                .serializers(SERIALIZERS)
                .meterRegistry(METERS)
                .build());
    }

    private SafeBunnyOptions options(@Nullable Duration retention) {
        SafeBunnyOptions options = SafeBunnyOptions.of(node).withLease(World.LEASE);
        return retention == null ? options : options.withRetention(retention).withSagaRetention(retention);
    }

    void start(Function<SimulatedNode, List<?>> beans) {
        List<?> handlers = beans.apply(this);
        for (Object handler : handlers) {
            String forbidden = ForbiddenCalls.in(handler);
            if (forbidden != null) {
                rules().isBroken(Rules.SAME_IN_EACH_RUN, "%s: %s".formatted(node, forbidden));
            }
        }
        Scan scan = Scan.of(handlers);
        engine.start(scan.handlers().stream().map(this::watched).toList(), scan.sagas());
    }

    /** Whose failures are noted, so that they can be compared with what records tell, and which must keep to the order of their messages. */
    private HandlerDefinition watched(HandlerDefinition handler) {
        rules().watchesFailuresOf(node, handler.type());
        HandlerInvoker onExpired = handler.onExpired();
        return new HandlerDefinition(
                handler.description(),
                handler.type(),
                handler.payloadType(),
                handler.from(),
                handler.prefetch(),
                handler.grouping(),
                handler.recovery(),
                new Watched(handler, handler.invoker()),
                onExpired == null ? null : new Watched(handler, onExpired),
                handler.ordering(),
                handler.rate(),
                handler.sharding());
    }

    private final class Watched implements HandlerInvoker {

        private final HandlerDefinition handler;
        private final HandlerInvoker invoker;

        Watched(HandlerDefinition handler, HandlerInvoker invoker) {
            this.handler = handler;
            this.invoker = invoker;
        }

        @Override
        public void invoke(Object payload, MessageContext context) throws Exception {
            world.begins(Instance.this, handler, context.messageId());
            try {
                invoker.invoke(payload, context);
            } catch (Throwable failure) {
                rules().failed(Instance.this, context.messageId(), timeline().now());
                throw failure;
            }
        }

        @Override
        public void invokeBatch(List<Object> payloads, List<? extends MessageContext> contexts) throws Exception {
            invoker.invokeBatch(payloads, contexts);
        }
    }

    SimulatedProcess process() {
        return process;
    }

    SafeBunnyEngine engine() {
        return engine;
    }

    String node() {
        return node;
    }

    String name() {
        return process.name();
    }

    Rules rules() {
        return world.rules();
    }

    @Nullable
    Fault reach(Place place, String subject) {
        return world.faults().reach(this, place, subject);
    }

    List<SagaView> sagasToRepair() {
        return engine.get(SagaSupervision.class).hasSagas()
                ? Stream.of(SagaStatus.STUCK, SagaStatus.COMPENSATION_FAILED)
                        .flatMap(status -> engine.get(Sagas.class).list(null, status, Duration.ZERO, 1).stream())
                        .toList()
                : List.of();
    }

    /** Kills the process: the broker redelivers unsettled messages. If called by a task of this process, does not return. */
    void crash() {
        afterCrash.run();
        session.close();
        if (store instanceof FaultyTransactions transactions) {
            transactions.end();
        }
        process.end();
    }

    /** Cuts the connection of the process: the broker redelivers unsettled messages while their handlers continue. */
    void loseConnection() {
        session.disconnect();
        session.reconnect();
    }

    /** Pauses the process for so long that the broker considers it dead. */
    void stall(Duration duration) {
        session.disconnect();
        process.pause(duration);
        session.reconnect();
    }

    void usedFromOutside(String what) {
        world.usedFromOutside(process.name(), what);
    }

    void wentWrong() {
        world.wentWrong();
    }

    void lostAlarm(Duration due) {
        world.lostAlarm(due);
    }

    void sent(OutboundMessage message, Duration begun) {
        world.sent(message, begun, store == null);
    }

    /** "CLAIMED for OrderPlaced" */
    String nameOf(MessageRecord record) {
        return record.state() + " for " + nameOf(record.key());
    }

    String nameOf(RecordKey key) {
        return world.nameOf(key);
    }

    // ---- seen by handlers

    @Override
    public Bunny bunny() {
        return engine.bunny();
    }

    @Override
    public Sagas sagas() {
        return engine.get(Sagas.class);
    }

    @Override
    public Timeline timeline() {
        return process.timeline();
    }

    @Override
    public Clock clock() {
        return new VirtualClock(process.timeline(), ZoneOffset.UTC);
    }

    @Override
    public void perform(String effect, String key) {
        around(effect, () -> world.system().effects().perform(effect, key));
    }

    @Override
    public void perform(String effect) {
        around(effect, () -> world.system().effects().perform(effect));
    }

    private void around(String effect, Runnable call) {
        failIf(reach(Place.BEFORE_EFFECT, effect), effect);
        call.run();
        failIf(reach(Place.AFTER_EFFECT, effect), effect);
    }

    private static void failIf(@Nullable Fault fault, String effect) {
        if (fault == Fault.FAIL) {
            throw new IllegalStateException("No answer to '%s', as the schedule wants".formatted(effect));
        }
    }
}
