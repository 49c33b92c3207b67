// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.Bunny;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Group;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.document.SagaCopy;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.saga.management.SagaCopies;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.test.harness.JournalMiddleware;
import io.safebunny.test.harness.Participants;
import io.safebunny.test.harness.RawPublisher;
import io.safebunny.test.harness.RepeatingTransport;
import io.safebunny.test.harness.SentMessages.Sent;
import io.safebunny.test.harness.VirtualClock;
import io.safebunny.test.harness.VirtualNode;
import io.safebunny.test.scheduler.DeterministicScheduler.Limits;
import io.safebunny.test.scheduler.StandstillException;
import io.safebunny.test.trace.MessageTrace;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** The node of a {@link SagaScenario} from its first step on, with its participants. For the test's thread only. */
final class SagaScenarioRun {

    private static final String ID = "scenario";
    private static final JsonMessageSerializer JSON = new JsonMessageSerializer();
    private static final Serializers SERIALIZERS = Serializers.ofEveryFormat(JSON);
    private static final Limits LIMITS = new Limits(10_000, Duration.ofSeconds(30));
    private static final Duration RETENTION = Duration.ofDays(7);

    /** The same defaults as the starter's. */
    private static final HandlerDefaults DEFAULTS = new HandlerDefaults(
            10,
            new RetrySettings(2, Duration.ofMillis(100), 2, Duration.ofSeconds(10), 0),
            new RetryStrategy(List.of(Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofMinutes(10)), 0));

    private final VirtualNode virtual;
    private final String node;
    private final Participants participants;
    private final SafeBunnyEngine engine;
    private final SagaDefinition saga;
    private final Map<String, Sender> senders = new HashMap<>();
    private @Nullable String id;
    private @Nullable RepeatingTransport latest;
    private int sentBefore;

    /** Another node, which sends messages to the saga. */
    private record Sender(Bunny bunny, RepeatingTransport transport) {}

    /** @param stored the saga with which it begins; {@code null} for none */
    SagaScenarioRun(
            String node,
            @Nullable String id,
            @Nullable String stored,
            BiFunction<? super Bunny, ? super Clock, ?> saga) {
        this.virtual = new VirtualNode(LIMITS, stored == null ? VirtualNode.BEGIN : SagaCopy.changedAt(stored));
        this.node = node;
        this.id = id == null && stored != null ? ID : id;
        this.participants = new Participants(virtual, node);
        RepeatingTransport transport = new RepeatingTransport(participants.heard(transport(node)));
        this.engine =
                engine(node, transport, new MemoryMessageStore(virtual.process().timeline(), RETENTION));
        this.saga = definition(
                saga.apply(engine.bunny(), new VirtualClock(virtual.process().timeline(), ZoneOffset.UTC)));
        engine.start(List.of(), List.of(this.saga));
        senders.put(node, new Sender(engine.bunny(), transport));
        if (stored != null) {
            engine.get(SagaCopies.class).store(this.saga.name(), sagaId(), stored);
        }
    }

    private Transport transport(String name) {
        return virtual.transport(name, TopologyOptions.defaults());
    }

    private SafeBunnyEngine engine(String name, Transport transport, @Nullable MemoryMessageStore store) {
        return new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name), transport, virtual.process().timeline())
                .serializers(SERIALIZERS)
                .store(store)
                .callbacks(virtual.process().executor())
                .consumeMiddlewares(Stream.of(Group.values())
                        .<ConsumeMiddleware>map(group -> new JournalMiddleware(group, () -> name, virtual.journal()))
                        .toList())
                .build());
    }

    private static SagaDefinition definition(Object saga) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton(saga.getClass().getName(), saga);
        List<SagaDefinition> found = new SagaScanner(beans, DEFAULTS, null).sagas();
        if (found.isEmpty()) {
            throw SagaScenario.misuse("No saga [class=%s]: its class is not annotated with @BunnySaga."
                    .formatted(saga.getClass().getName()));
        }
        return withParticipants(found.get(0));
    }

    private static SagaDefinition withParticipants(SagaDefinition saga) {
        Set<String> nodes = new HashSet<>(saga.participants());
        nodes.add(Participants.NODE);
        return new SagaDefinition(
                saga.name(),
                saga.description(),
                saga.version(),
                saga.stateType(),
                saga.handlers(),
                saga.timeouts(),
                saga.poisoned(),
                saga.expired(),
                saga.shredded(),
                saga.upgrades(),
                nodes,
                null); // a scenario needs no keys
    }

    Participants participants() {
        return participants;
    }

    // ---- steps

    void publish(String from, Object payload) {
        SagaHandler handler = handler(from, MessageTypes.nameOf(payload.getClass()));
        String correlationId = correlationId(handler, payload);
        Sender sender = senders.computeIfAbsent(from, this::start);
        Object unused = sender.bunny().publish(payload, PublishOptions.none().withCorrelationId(correlationId));
        sent(sender);
    }

    /** Publishes a body as it is. */
    void deliver(String from, String type, int version, String json) {
        SagaHandler handler = handler(from, type);
        String correlationId =
                correlationId(handler, handler.correlation() == null ? null : read(handler, version, json));
        Sender sender = senders.computeIfAbsent(from, this::start);
        Object unused = new RawPublisher(
                        from, sender.transport(), virtual.process().timeline())
                .publish(type, version, json, correlationId);
        sent(sender);
    }

    private void sent(Sender sender) {
        latest = sender.transport();
        latest.keepLatest();
        step(virtual::runUntilIdle);
    }

    private static @Nullable Object read(SagaHandler handler, int version, String json) {
        try {
            byte[] body = BodyVersions.of(handler.payloadType())
                    .upcast(json.getBytes(StandardCharsets.UTF_8), version, JSON.contentType());
            return JSON.deserialize(body, handler.payloadType());
        } catch (SerializationException e) {
            return null; // the saga's node will set the message aside, which the test can observe
        }
    }

    private Sender start(String name) {
        RepeatingTransport transport = new RepeatingTransport(transport(name));
        SafeBunnyEngine other = engine(name, transport, null);
        other.start(List.of());
        return new Sender(other.bunny(), transport);
    }

    private SagaHandler handler(String from, String type) {
        SagaHandler handler = saga.handlers().stream()
                .filter(one -> one.type().equals(type))
                .findFirst()
                .orElseThrow(() -> SagaScenario.misuse(
                        "%s takes no %s, but %s. Send one of these instead, or add a @BunnyHandler method."
                                .formatted(
                                        saga.name(),
                                        Names.printable(type),
                                        saga.handlers().stream()
                                                .map(SagaHandler::type)
                                                .toList())));
        if (!handler.from().contains(from)) {
            throw SagaScenario.misuse(
                    "%s takes %s from %s, and not from '%s': add it to 'from' of %s, or send it as another node."
                            .formatted(saga.name(), type, handler.from(), from, handler.description()));
        }
        return handler;
    }

    /**
     * The saga's id: set by the test, or determined by the first message.
     *
     * @param payload {@code null} if it cannot be read, or does not matter
     */
    private String correlationId(SagaHandler handler, @Nullable Object payload) {
        String own = payload == null ? null : idIn(handler, payload);
        if (id == null) {
            id = own != null && Names.isCorrelationId(own) ? own : ID;
        } else if (own != null && !own.equals(id)) {
            throw SagaScenario.misuse(
                    "%s goes to saga '%s' by its @CorrelatedBy, but this scenario is about saga '%s'. Use another scenario for it, or set the id with withId."
                            .formatted(handler.type(), Names.printable(own), id));
        }
        return id;
    }

    private static @Nullable String idIn(SagaHandler handler, Object payload) {
        try {
            return handler.correlation() == null ? null : handler.correlation().apply(payload);
        } catch (PoisonMessageException e) {
            return null; // the saga's node will set the message aside, which the test can observe
        }
    }

    void repeat() {
        RepeatingTransport sender = latest;
        if (sender == null) {
            throw SagaScenario.misuse(
                    "There is no message to repeat: use when(…) or whenDelivered(…) before repeat().");
        }
        sender.repeat();
        step(virtual::runUntilIdle);
    }

    void advance(Duration duration) {
        step(() -> virtual.advance(duration));
    }

    private void step(Runnable run) {
        sentBefore = sent().size();
        try {
            run.run();
        } catch (StandstillException e) {
            AssertionError failure = new AssertionError(
                    "The saga does not become idle.%s%n%s"
                            .formatted(virtual.journal().describe(), e.getMessage()),
                    e);
            virtual.close();
            throw failure;
        }
    }

    // ---- observation

    String sagaId() {
        return id == null ? ID : id;
    }

    Optional<SagaView> view() {
        return engine.get(Sagas.class).find(saga.name(), sagaId());
    }

    <S> S state(SagaView view, Class<S> type) {
        return type.cast(SagaStates.read(view.state(), type));
    }

    /** All messages that the saga's node has sent. */
    List<Sent> sent() {
        return participants.sent().all();
    }

    /** Messages that the saga's node has sent in the last step. */
    List<Sent> sentLast() {
        List<Sent> all = sent();
        return all.subList(sentBefore, all.size());
    }

    Duration until(Instant due) {
        return Duration.between(virtual.process().timeline().now(), due);
    }

    /** Total of the library's own delays so far, which tests should not depend on. */
    Duration waited() {
        return virtual.waited();
    }

    MessageTrace trace() {
        return new MessageTrace(
                describeSaga(),
                virtual.journal().happenings(),
                virtual.journal().since(),
                true,
                () -> view().map(List::of).orElse(List.of()));
    }

    String describe() {
        return trace().toString();
    }

    private String describeSaga() {
        List<String> lines = new ArrayList<>();
        view().ifPresentOrElse(
                        found -> lines.addAll(
                                SagaText.lines(found, virtual.journal().since())),
                        () -> lines.add("no saga %s with the id '%s'".formatted(saga.name(), sagaId())));
        lines.add("published by node " + node);
        sent().forEach(one -> lines.add("  " + one));
        lines.add("what happened");
        return String.join(System.lineSeparator(), lines);
    }
}
