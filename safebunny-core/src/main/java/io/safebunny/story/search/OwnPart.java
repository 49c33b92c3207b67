// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.search;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyOperations;
import io.safebunny.ScheduledMessage;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.message.MessageTypes;
import io.safebunny.node.Node;
import io.safebunny.node.StoreOutage;
import io.safebunny.operations.MovedCopies;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.scheduling.BunnyScheduled;
import io.safebunny.scheduling.Scheduling;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.Scheduled;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.NodeStory.Unsent;
import io.safebunny.story.exchange.Awaiting;
import io.safebunny.story.exchange.Gathered;
import io.safebunny.story.exchange.HandMoves;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what this node knows of an id. Thread-safe. */
public final class OwnPart {

    /** Of records, and of outbox rows. */
    public static final int MOST = 500;

    public static final String POISON_QUEUE = Gathered.POISON_QUEUE;

    /** Where an id is searched for that has no key. */
    public static final String RECORDS = IdSearch.RECORDS;

    /** More are told by the endpoint for them. */
    private static final int MOST_PAUSES = 100;

    /** Type of what brings a scheduled message to its own node. */
    public static final String SCHEDULED = MessageTypes.nameOf(BunnyScheduled.class);

    private static final int MOST_SCHEDULED = 50;
    /** Each is looked for in the shards of all types that have some. */
    private static final int MOST_KEYS = 10;

    private static final String PLACE = "scheduled messages";

    /** How the reason of a breaker begins that an operator holds, and that has not opened by itself. */
    private static final String PAUSED = "paused by ";

    private final Node node;
    private final Supplier<String> instance;
    private final Sagas sagas;
    private final Supplier<List<SagaDefinition>> definitions;
    private final MovedCopies moved;
    private final Function<String, List<String>> unbegun;

    /**
     * @param definitions the sagas of this node; empty before the start
     * @param moved what people have moved through this instance
     * @param unbegun why messages of an order key may wait that nobody has begun: parts of sentences
     */
    public OwnPart(
            Node node,
            Supplier<String> instance,
            Sagas sagas,
            Supplier<List<SagaDefinition>> definitions,
            MovedCopies moved,
            Function<String, List<String>> unbegun) {
        this.node = node;
        this.instance = instance;
        this.sagas = sagas;
        this.definitions = definitions;
        this.moved = moved;
        this.unbegun = unbegun;
    }

    /** What is found by keys that every store has: of a correlation id. */
    public NodeStory ofCorrelation(String id) {
        return of(id, List.of(), new Looks(), Duration.ZERO, IdSearch::correlated);
    }

    /**
     * The same, but searched for as what it may be as well.
     *
     * @param atMost how long the search may take
     */
    public NodeStory of(String id, List<HandlerDefinition> handlers, Duration atMost) {
        return of(id, handlers, new Looks(), atMost, IdSearch::find);
    }

    /** The same without the search, and with why there was none. */
    public NodeStory ofCorrelation(String id, String where, String why) {
        Looks looks = new Looks();
        looks.notAt(where, why);
        return of(id, List.of(), looks, Duration.ZERO, IdSearch::correlated);
    }

    private NodeStory of(
            String id,
            List<HandlerDefinition> handlers,
            Looks looks,
            Duration atMost,
            BiFunction<IdSearch, String, IdSearch.Found> find) {
        MessageStore store = node.store();
        Outbox outbox = node.parts().outbox();
        if (store == null) {
            looks.notAt("records", "this node has no store");
        }
        IdSearch.Found found = find.apply(
                new IdSearch(store, outbox, node.ids(), handlers, looks, Deadline.after(atMost, node.timeline())), id);
        List<DatedRecord> records = new ArrayList<>();
        List<Unsent> unsent = new ArrayList<>();
        List<Saga> own = new ArrayList<>();
        for (String correlationId : found.correlationIds()) {
            records.addAll(looks.at(
                    "records",
                    () -> store == null ? List.of() : store.findCorrelated(correlationId, MOST + 1 - records.size())));
            unsent.addAll(looks.at("outbox", () -> unsent(outbox, correlationId, MOST + 1 - unsent.size())));
            own.addAll(looks.at("sagas", () -> sagas(correlationId)));
        }
        looks.notAt(
                POISON_QUEUE, "it holds its messages back from others while it is read. GET safebunnypoison shows it");
        boolean truncated = records.size() > MOST || unsent.size() > MOST || DatedRecord.holdMuch(records);
        List<Message> messages = messages(id, store, records.subList(0, Math.min(MOST, records.size())), looks);
        return new NodeStory(
                node.name(),
                instance.get(),
                node.timeline().now(),
                found.as(),
                found.correlationIds(),
                troubles(found.correlationIds().isEmpty() ? List.of(id) : found.correlationIds()),
                own,
                messages,
                pauses(looks),
                moved.of(found.correlationIds()),
                unsent.subList(0, Math.min(MOST, unsent.size())),
                scheduled(store, records, messages, looks),
                looks.all(),
                truncated);
    }

    /** @param keys by which messages may be kept in order */
    private List<String> troubles(List<String> keys) {
        List<String> troubles = new ArrayList<>();
        TransportStatus broker = node.transport().status();
        if (!broker.usable()) {
            troubles.add("the broker cannot be used: " + broker.detail());
        }
        StoreOutage outage = node.storeOutage();
        if (outage != null) {
            troubles.add("the store did not answer when it was last called: " + outage.reason());
        }
        keys.stream().limit(MOST_KEYS).forEach(key -> troubles.addAll(unbegun.apply(key)));
        return troubles;
    }

    private static List<Unsent> unsent(@Nullable Outbox outbox, String correlationId, int limit) {
        return outbox == null || limit < 1
                ? List.of()
                : outbox.findCorrelated(correlationId, limit).stream()
                        .map(row -> new Unsent(
                                row.messageId(),
                                correlationId,
                                row.type() == null ? "" : row.type(),
                                row.attempts(),
                                row.storedAt(),
                                row.dueAt()))
                        .toList();
    }

    private List<Saga> sagas(String correlationId) {
        List<SagaDefinition> defined = definitions.get();
        return defined.isEmpty()
                ? List.of()
                : sagas.find(correlationId).stream()
                        .map(saga -> saga(saga, defined))
                        .toList();
    }

    private static Saga saga(SagaView saga, List<SagaDefinition> defined) {
        return new Saga(
                saga.saga(),
                saga.id(),
                saga.status(),
                saga.startedAt(),
                saga.changedAt(),
                saga.reason(),
                saga.steps(),
                saga.timeouts(),
                saga.blockedOn(),
                saga.stuckOn(),
                Awaiting.of(saga, defined),
                saga.history());
    }

    private List<Message> messages(String id, @Nullable MessageStore store, List<DatedRecord> records, Looks looks) {
        List<Message> messages = new ArrayList<>();
        if (store != null && Lines.isAny(records)) {
            looks.at("messages that wait in order", () -> {
                Lines lines = new Lines(store, records);
                for (MessageRecord missing : lines.missing(id)) {
                    messages.add(message(missing, null, lines));
                }
                own(records).forEach(dated -> messages.add(message(dated.record(), dated.changedAt(), lines)));
                return messages;
            });
        }
        return messages.isEmpty()
                ? own(records)
                        .map(dated -> message(dated.record(), dated.changedAt(), null))
                        .toList()
                : messages;
    }

    private static Stream<DatedRecord> own(List<DatedRecord> records) {
        return records.stream().filter(dated -> !dated.record().key().isCompanion());
    }

    private Message message(MessageRecord record, @Nullable Instant changedAt, @Nullable Lines lines) {
        // what is stored may be of a time when texts were shown
        Trail trail = node.details().of(record.trail().type()).showsStoredTexts()
                ? record.trail()
                : record.trail().withoutTexts();
        boolean claimed = state(record) == State.HANDLING && !record.lease().isZero();
        String type = type(record);
        return new Message(
                record.key().messageId(),
                record.key().correlationId(),
                type,
                state(record),
                record.attempt(),
                claimed && changedAt != null ? changedAt.plus(record.lease()) : null,
                changedAt,
                trail.failures().stream()
                        .map(failure -> new NodeStory.Failure(
                                failure.at(),
                                failure.instance(),
                                failure.millis(),
                                failure.exception(),
                                failure.text(),
                                failure.nextAt()))
                        .toList(),
                Stream.concat(
                                record.trail().published().stream()
                                        .filter(sent -> !isNotice(record, sent.id()))
                                        .map(sent -> new Publication(sent.id(), sent.type(), true, sent.dueAt())),
                                record.outgoing().stream()
                                        .filter(waiting -> !isNotice(
                                                record, waiting.message().messageId()))
                                        .map(waiting -> new Publication(
                                                String.valueOf(waiting.message().messageId()),
                                                String.valueOf(waiting.message().type()),
                                                false,
                                                waiting.deliverAt())))
                        .toList(),
                record.trail().omitted(),
                lines == null ? null : lines.of(record, type));
    }

    /** What waits in order has not run yet, and its record has the message itself. */
    private static String type(MessageRecord record) {
        String type = record.trail().type();
        return type.isEmpty()
                        && record.state() == RecordState.PARKED
                        && !record.outgoing().isEmpty()
                ? String.valueOf(record.outgoing().get(0).message().type())
                : type;
    }

    /** Whether what was published is the notice that the message was dropped. */
    private static boolean isNotice(MessageRecord record, @Nullable String published) {
        return record.key().messageId().equals(published);
    }

    private static boolean isDropped(MessageRecord record) {
        return record.trail().published().stream().anyMatch(sent -> isNotice(record, sent.id()))
                || record.outgoing().stream()
                        .anyMatch(waiting -> isNotice(record, waiting.message().messageId()));
    }

    private static boolean isShredded(MessageRecord record) {
        List<Trail.Failure> failures = record.trail().failures();
        return !failures.isEmpty()
                && HandMoves.isErasure(failures.get(failures.size() - 1).exception());
    }

    private static State state(MessageRecord record) {
        if (isShredded(record)
                && (record.state() == RecordState.COMPLETED || record.state() == RecordState.DISPATCHED)) {
            return State.SHREDDED;
        }
        return switch (record.state()) {
            case CLAIMED -> State.HANDLING;
            case RELEASED, PARKED -> State.WAITING;
            case COMPLETED -> isDropped(record) ? State.EXPIRED : State.UNSENT;
            case DISPATCHED -> isDropped(record) ? State.EXPIRED : State.HANDLED;
            case POISONED -> State.SET_ASIDE;
            case UNDONE -> State.UNDONE;
        };
    }

    /** Of all types: what waits for its first delivery has no record. Which of them matter is seen when all nodes have told. */
    private List<Pause> pauses(Looks looks) {
        List<Pause> pauses = node.breakers().statuses().values().stream()
                .filter(status -> status.state() != BunnyCircuitBreaker.State.CLOSED)
                .map(OwnPart::pause)
                .toList();
        if (pauses.size() <= MOST_PAUSES) {
            return pauses;
        }
        looks.cut("paused types", "only %s of %s are told".formatted(MOST_PAUSES, pauses.size()));
        return pauses.subList(0, MOST_PAUSES);
    }

    private static Pause pause(BunnyCircuitBreaker.Status status) {
        BunnyOperations.Pause asked = status.pause();
        String reason = status.reason();
        Instant lacking = status.lackingSince(); // it is tried every two seconds, and paused again
        Instant since = lacking == null ? status.since() : lacking;
        return asked == null
                ? new Pause(status.type(), status.state().name(), since, status.until(), reason, null, null)
                : new Pause(
                        status.type(),
                        status.state().name(),
                        asked.since(),
                        status.until(),
                        asked.reason(),
                        asked.by(),
                        reason == null || reason.startsWith(PAUSED) ? null : reason);
    }

    /** Those stored under the ids that were found, and those that these messages have scheduled. */
    private static List<Scheduled> scheduled(
            @Nullable MessageStore store, List<DatedRecord> records, List<Message> messages, Looks looks) {
        if (records.isEmpty()) {
            return List.of();
        }
        List<Scheduled> scheduled = new ArrayList<>();
        Set<String> told = new LinkedHashSet<>();
        for (DatedRecord dated : records) {
            add(scheduled, told, dated.record());
        }
        Set<String> ids = new LinkedHashSet<>();
        for (DatedRecord dated : records) {
            dated.record().trail().published().stream()
                    .filter(sent -> sent.type().equals(SCHEDULED) && sent.correlationId() != null)
                    .forEach(sent -> ids.add(String.valueOf(sent.correlationId())));
            dated.record().outgoing().stream()
                    .map(OutboundMessage::message)
                    .filter(waiting -> SCHEDULED.equals(waiting.type()))
                    .forEach(waiting -> ids.add(String.valueOf(waiting.correlationId())));
        }
        if (ids.size() > MOST_SCHEDULED) {
            looks.cut(PLACE, "only %s of %s were looked at".formatted(MOST_SCHEDULED, ids.size()));
        }
        List<Scheduled> all = looks.at(PLACE, () -> {
            if (store != null && !messages.isEmpty()) {
                ids.stream().limit(MOST_SCHEDULED).forEach(id -> {
                    MessageRecord stored = store.find(Scheduling.keyOf(id));
                    if (stored != null) {
                        add(scheduled, told, stored);
                    }
                });
            }
            return scheduled;
        });
        return all.isEmpty() ? scheduled : all; // what was found before the store failed
    }

    private static void add(List<Scheduled> scheduled, Set<String> told, MessageRecord stored) {
        ScheduledMessage message = Scheduling.read(stored);
        if (message != null && told.add(message.messageId())) {
            scheduled.add(new Scheduled(message.messageId(), message.status(), message.deliverAt()));
        }
    }
}
