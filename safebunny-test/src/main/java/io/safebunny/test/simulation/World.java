// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.PublishOptions;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.message.OrderKey;
import io.safebunny.message.WireMessage;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.scheduler.Choices;
import io.safebunny.test.scheduler.DeterministicScheduler;
import io.safebunny.test.scheduler.DeterministicScheduler.Limits;
import io.safebunny.test.scheduler.SimulatedProcess;
import io.safebunny.test.simulation.SimulatedSystem.Message;
import io.safebunny.test.simulation.SimulatedSystem.Node;
import io.safebunny.test.simulation.run.Chooser;
import io.safebunny.test.simulation.run.Cut;
import io.safebunny.test.simulation.run.RunJournal;
import io.safebunny.test.simulation.run.RunOutcome;
import io.safebunny.test.simulation.run.Violation;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state of one run. For one thread and the run's own threads. */
final class World implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(30);

    /** Time after which a lost wake-up has been noticed, even by the slowest clock. */
    private static final Duration NOTICED_WITHIN = Faults.SKEW.plus(LEASE.multipliedBy(3));

    private static final int MOST_SAGAS = 1_000;
    /** Listing statuses of ended sagas. These are due when they must be deleted. */
    private static final Set<String> ENDED = Set.of(SagaStatus.COMPLETED.name(), SagaStatus.FAILED.name());

    private static final Duration STALL = LEASE.multipliedBy(3).dividedBy(2);
    private static final Duration RESTART = Duration.ofSeconds(1);
    private static final Limits LIMITS = new Limits(20_000, Duration.ofSeconds(5));

    private final DeterministicScheduler scheduler =
            new DeterministicScheduler(VirtualTimeline.START, Choices.IN_ORDER, LIMITS);
    private final SimulatedProcess outside = scheduler.process("outside");
    private final MemoryBroker broker = new MemoryBroker(outside.timeline(), outside.executor());
    private final SimulatedSystem system = new SimulatedSystem(this::sagas);
    private final Cut cut;
    private final RunJournal journal;
    private final Faults faults;
    private final Rules rules;
    private final NavigableSet<Duration> noticedAt = new TreeSet<>();
    private final Map<String, MessageStore> stores = new HashMap<>();
    private final Map<String, Instance> instances = new LinkedHashMap<>();
    private final Map<String, String> types = new HashMap<>();
    private final Map<String, OutboundMessage> published = new LinkedHashMap<>();
    /** From publishers that never fail, so that their order is known; by id. */
    private final Map<String, WireMessage> fromOutside = new LinkedHashMap<>();

    /**
     * @param cut the parts that are left out of the system
     * @param isTold whether a journal is kept
     */
    World(Consumer<SimulatedSystem> declaration, Cut cut, Chooser chooser, boolean isTold) {
        this.cut = cut;
        this.journal = new RunJournal(isTold, scheduler::elapsed);
        this.faults = new Faults(chooser, journal, STALL);
        this.rules = new Rules(scheduler::elapsed, () -> !faults.events().isEmpty());
        declaration.accept(system);
    }

    RunOutcome run() {
        for (Node node : system.nodes().values()) {
            stores.put(node.name(), system.newStore(outside.timeline()));
            for (int number = 1; number <= cut.instances(node.name(), node.instances()); number++) {
                start(node, node.name() + (node.instances() == 1 ? "" : "-" + number), 1);
            }
        }
        Violation violation = rules.broken();
        if (violation == null) {
            publish();
            violation = new Judgement(this, scheduler).judge();
        }
        return new RunOutcome(violation, faults.points(), faults.events(), faults.fingerprint(), journal.entries());
    }

    private void start(Node node, String name, int incarnation) {
        SimulatedProcess process = scheduler.process(incarnation == 1 ? name : name + "'" + incarnation);
        Instance instance = new Instance(this, node.name(), process, stores.get(node.name()), () -> outside.timeline()
                .schedule(RESTART, () -> start(node, name, incarnation + 1)));
        instances.put(name, instance);
        instance.start(node.beans());
    }

    private void publish() {
        Map<String, Instance> publishers = new HashMap<>();
        int number = 0;
        for (Message message : system.messages()) {
            number++;
            if (!cut.hasMessage(number)) {
                continue;
            }
            var unused = publishers
                    .computeIfAbsent(message.node(), this::publisher)
                    .bunny()
                    .publish(message.payload(), PublishOptions.none().withCorrelationId(message.correlationId()));
        }
        faults.begin();
    }

    private Instance publisher(String node) {
        Instance publisher = new Instance(this, node, scheduler.process(node + " (outside)"), null, () -> {});
        publisher.start(unused -> List.of());
        return publisher;
    }

    SimulatedSystem system() {
        return system;
    }

    MemoryBroker broker() {
        return broker;
    }

    Faults faults() {
        return faults;
    }

    /** For each node, one of its running processes. */
    Map<String, Instance> nodes() {
        Map<String, Instance> nodes = new LinkedHashMap<>();
        for (String node : system.nodes().keySet()) {
            instances.forEach((name, instance) -> {
                if (!instance.process().hasEnded() && instance.node().equals(node)) {
                    nodes.putIfAbsent(node, instance);
                }
            });
        }
        return nodes;
    }

    private List<SagaView> sagas(String node, String id) {
        Instance running = nodes().get(node);
        return running == null || !running.engine().get(SagaSupervision.class).hasSagas()
                ? List.of()
                : running.engine().get(Sagas.class).find(id);
    }

    /** All publications of nodes, in order, without repeats. */
    List<OutboundMessage> published() {
        return new ArrayList<>(published.values());
    }

    @Nullable
    MessageRecord find(String node, WireMessage message) {
        MessageStore store = stores.get(node);
        return store == null ? null : store.find(rules.keyOf(node, message));
    }

    /**
     * Call when the broker has lost an alarm: it must be noticed a few leases after it was due.
     *
     * @param due time until the alarm would have come
     */
    void lostAlarm(Duration due) {
        noticedAt.add(scheduler.elapsed().plus(due).plus(NOTICED_WITHIN));
    }

    /** Call after a fault: it may have hit the process that was just about to notice a lost alarm, so that noticing takes longer. */
    void wentWrong() {
        if (!noticedAt.isEmpty()) {
            lostAlarm(Duration.ZERO);
        }
    }

    /**
     * Time until the next lost alarm must have been noticed; {@code null} if all have been. A lost alarm is noticed when it would have
     * come, or later if the timeout was moved.
     */
    @Nullable
    Duration untilNoticed() {
        if (noticedAt.isEmpty()) {
            return null;
        }
        NavigableSet<Duration> all = new TreeSet<>(noticedAt);
        stores.values().forEach(store -> all.addAll(due(store)));
        Duration next = all.higher(scheduler.elapsed());
        return next == null ? null : next.minus(scheduler.elapsed());
    }

    private List<Duration> due(MessageStore store) {
        Instant now = VirtualTimeline.START.plus(scheduler.elapsed());
        return store.findDue(now.minus(NOTICED_WITHIN), Instant.MAX, MOST_SAGAS).stream()
                .map(MessageRecord::listing)
                .filter(listing -> listing != null && !ENDED.contains(listing.status()))
                .map(listing ->
                        Duration.between(VirtualTimeline.START, listing.dueAt()).plus(NOTICED_WITHIN))
                .toList();
    }

    /** @param isFromOutside whether it was sent by a process that never fails */
    void sent(OutboundMessage message, Duration begun, boolean isFromOutside) {
        rules.sent(message, begun);
        String id = String.valueOf(message.message().messageId());
        types.put(id, String.valueOf(message.message().type()));
        if (message.route() instanceof Route.ToSubscribers) {
            published.putIfAbsent(id, message);
            if (isFromOutside) {
                fromOutside.putIfAbsent(id, message.message());
            }
        }
    }

    /** Called by a thread that does not belong to the run. */
    void usedFromOutside(String process, String what) {
        rules.isBroken(
                Rules.OWN_THREADS,
                "%s %s in thread '%s', which the simulation does not know. Start no threads in handlers; MessageContext.publisher() is for those that must."
                        .formatted(process, what, Thread.currentThread().getName()));
    }

    Rules rules() {
        return rules;
    }

    /** Call before a handler begins. One whose message another process has handled meanwhile does not know that yet. */
    void begins(Instance by, HandlerDefinition handler, String messageId) {
        WireMessage message = fromOutside.get(messageId);
        if (message == null || !handler.ordering().isOrdered() || hasEnded(by.node(), handler, message)) {
            return;
        }
        for (Map.Entry<String, WireMessage> other : fromOutside.entrySet()) {
            WireMessage before = other.getValue();
            if (other.getKey().equals(messageId)) {
                return;
            }
            if (isOfOneOrder(before, message) && !hasEnded(by.node(), handler, before)) {
                rules.isBroken(
                        Rules.IN_ORDER,
                        "%s begins %s %s before %s has ended"
                                .formatted(by.name(), message.type(), messageId, before.messageId()));
                return;
            }
        }
    }

    private static boolean isOfOneOrder(WireMessage one, WireMessage other) {
        return Objects.equals(one.type(), other.type())
                && Objects.equals(one.appId(), other.appId())
                && Objects.equals(OrderKey.of(one), OrderKey.of(other));
    }

    private boolean hasEnded(String node, HandlerDefinition handler, WireMessage message) {
        MessageRecord record = find(node, message);
        if (record == null) {
            return false;
        }
        return record.state() == RecordState.POISONED
                ? handler.ordering() == Ordering.SKIP
                : record.state() == RecordState.COMPLETED || record.state().isFinal();
    }

    /** What waits at the node with the order key of the message. */
    Lane lane(String node, WireMessage message) {
        OrderKey key = OrderKey.of(message);
        MessageStore store = stores.get(node);
        MessageRecord stored = key == null || store == null
                ? null
                : store.find(LaneDocument.key(key.value(), String.valueOf(message.type())));
        return LaneDocument.read(stored);
    }

    String nameOf(RecordKey key) {
        int companion = key.messageId().indexOf('~');
        String id = companion < 0 ? key.messageId() : key.messageId().substring(0, companion);
        String type = id.isEmpty() ? "" : types.getOrDefault(id, "an unknown message");
        return companion < 0 ? type : (type + " " + key.messageId().substring(companion + 1)).strip();
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
