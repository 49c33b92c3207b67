// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.ScheduledMessage.Status;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.Scheduled;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.NodeStory.Unsent;
import io.safebunny.story.Story.Event;
import io.safebunny.story.exchange.HandMoves;
import io.safebunny.story.exchange.OwnMessages;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/** Collects what happened at several nodes, and what is expected, one event each. Confined to one thread. */
final class Chronicle {

    private static final int MOST_DEPTH = 1_000;

    /** More must be a clock's difference: what was published can be handled long before its record says that the broker has it all. */
    private static final Duration MOST_EARLIER = Duration.ofSeconds(1);

    private final Instant now;
    private final List<Noted> events = new ArrayList<>();
    /** Nodes that have published a message, by its id. */
    private final Map<String, String> publishers = new HashMap<>();

    /** Messages in whose handling a message was published, by its id. */
    private final Map<String, String> causes = new HashMap<>();

    /** First trace of a message, or of what followed from it, by its id. */
    private final Map<String, Instant> traces = new HashMap<>();

    /** What can be said of the order of what happened in the same millisecond. */
    private record Noted(Event event, int depth, Phase phase, int index) {}

    /** What becomes of a message, in this order. */
    private enum Phase {
        PUBLISHED,
        TAKEN,
        FAILED,
        ENDED
    }

    /** Causes first. At last by name, so that a story is always told in the same way. */
    private static final Comparator<Noted> IN_ORDER = Comparator.comparing(
                    (Noted noted) -> noted.event().at())
            .thenComparing(Noted::depth)
            .thenComparing(Noted::phase)
            .thenComparing(noted -> noted.event().node())
            .thenComparing(noted -> noted.event().subject())
            .thenComparing(Noted::index)
            .thenComparing(noted -> noted.event().what())
            .thenComparing(noted -> noted.event().expected());

    private Chronicle(Instant now) {
        this.now = now;
    }

    /** By time, and at the same time by cause, as far as that is known. */
    static List<Event> of(Instant now, List<NodeStory> parts) {
        Chronicle chronicle = new Chronicle(now);
        parts.forEach(chronicle::note);
        chronicle.follow();
        parts.forEach(chronicle::add);
        return chronicle.events.stream().sorted(IN_ORDER).map(Noted::event).toList();
    }

    private void note(NodeStory part) {
        for (Message message : part.messages()) {
            for (Publication publication : message.published()) {
                publishers.put(publication.id(), part.node());
                causes.put(publication.id(), message.id());
            }
            message.failures().forEach(failure -> trace(message.id(), failure.at()));
            trace(message.id(), message.changedAt());
        }
        part.outbox().forEach(unsent -> publishers.put(unsent.messageId(), part.node()));
        part.sagas().forEach(saga -> {
            saga.steps().forEach(step -> publishers.putIfAbsent(step.messageId(), part.node()));
            saga.history().forEach(event -> {
                if (Happening.of(event) instanceof Took took) {
                    trace(took.messageId(), event.at());
                }
            });
        });
    }

    private void trace(String messageId, @Nullable Instant at) {
        if (at != null) {
            traces.merge(messageId, at, BinaryOperator.minBy(Comparator.naturalOrder()));
        }
    }

    /** What is known of a message is known of the one in whose handling it was published, too: the last consequences first. */
    private void follow() {
        causes.keySet().stream()
                .sorted(Comparator.comparingInt((String id) -> depth(id)).reversed())
                .forEach(id -> trace(Objects.requireNonNull(causes.get(id)), traces.get(id)));
    }

    /** A record tells when the broker had all that it published. Some of that may have been handled before. */
    private Instant handledBy(Message message, Instant changedAt) {
        Instant by = changedAt;
        for (Publication publication : message.published()) {
            Instant trace = traces.getOrDefault(publication.id(), by);
            by = trace.isBefore(by) ? trace : by;
        }
        Instant earliest = changedAt.minus(MOST_EARLIER);
        for (Failure failure : message.failures()) {
            boolean isLater = failure.at().isAfter(earliest) && failure.at().isBefore(changedAt);
            earliest = isLater ? failure.at() : earliest;
        }
        return by.isBefore(earliest) ? earliest : by;
    }

    private void add(NodeStory part) {
        String node = part.node();
        part.sagas().forEach(saga -> add(node, saga));
        OwnMessages own = new OwnMessages(part);
        part.messages().forEach(message -> add(node, message, own));
        part.outbox().forEach(unsent -> add(node, unsent));
        part.scheduled().forEach(scheduled -> add(node, scheduled));
        part.pauses().forEach(pause -> add(node, pause));
        part.moved().forEach(moved -> add(node, moved));
    }

    private void happened(Event event, int depth, Phase phase) {
        events.add(new Noted(event, depth, phase, events.size()));
    }

    /** Of how many messages it is the consequence; nobody proves that there is no circle. */
    private int depth(String messageId) {
        int depth = 0;
        String id = messageId;
        for (String cause = causes.get(id); cause != null && depth < MOST_DEPTH; cause = causes.get(id)) {
            id = cause;
            depth++;
        }
        return depth;
    }

    /** Also if its time has passed. */
    private void expected(Instant at, String node, String subject, String what) {
        happened(new Event(at, node, subject, what, null, true), 0, Phase.ENDED);
    }

    private String due(Instant at) {
        return at.isAfter(now) ? "is due" : "is overdue";
    }

    private void add(String node, Saga saga) {
        String subject = saga.saga() + ' ' + saga.id();
        int depth = 0;
        Instant latest = Instant.MIN;
        for (SagaView.Event event : saga.history()) {
            depth = Math.max(event.at().equals(latest) ? depth : 0, depth(event)); // its own order stays
            latest = event.at();
            String what = Words.text(saga.saga()) + " " + Words.text(Words.happening(event));
            happened(new Event(latest, node, subject, what, null, false), depth, Phase.TAKEN);
        }
        if (saga.status() == SagaStatus.ACTIVE) { // no other runs them
            saga.timeouts()
                    .forEach((name, at) -> expected(
                            at,
                            node,
                            subject,
                            "%s: timeout %s %s".formatted(Words.text(saga.saga()), Words.text(name), due(at))));
        }
    }

    private int depth(SagaView.Event event) {
        Happening happening = Happening.of(event);
        if (happening instanceof Took took) {
            return depth(took.messageId());
        }
        return happening instanceof SetAside aside ? depth(aside.message().messageId()) + 1 : 0;
    }

    private void add(String node, Message message, OwnMessages own) {
        String name = isHandled(message) ? Words.handled(message, own) : Words.message(message.type(), message.id());
        String from = publishers.get(message.id());
        int depth = depth(message.id());
        for (Failure failure : message.failures()) {
            if (HandMoves.isVerdict(failure)) {
                happened(
                        new Event(
                                failure.at(),
                                node,
                                message.id(),
                                HandMoves.isExpiry(failure)
                                        ? name + " had expired: " + Words.expiry(message)
                                        : name + " could not be read any more: " + Words.ERASED,
                                from,
                                false),
                        depth,
                        Phase.FAILED);
                continue;
            }
            happened(
                    new Event(
                            failure.at(),
                            node,
                            message.id(),
                            "%s failed after %s ms%s (%s)"
                                    .formatted(
                                            name,
                                            failure.millis(),
                                            failure.instance().isEmpty() ? "" : " on " + Words.text(failure.instance()),
                                            Words.failure(failure)),
                            from,
                            false),
                    depth,
                    Phase.FAILED);
        }
        if (message.state() == State.WAITING && !message.failures().isEmpty()) {
            Instant next = message.failures().get(message.failures().size() - 1).nextAt();
            if (next != null) {
                expected(next, node, message.id(), "%s %s again".formatted(name, due(next)));
            }
            return; // its release says no more than the failure
        }
        Instant changedAt = message.changedAt();
        if (changedAt != null) {
            Instant at = isHandled(message) ? handledBy(message, changedAt) : changedAt;
            String what = at.equals(changedAt) || Words.hasExpired(message) ? what(message) : "had been handled";
            happened(new Event(at, node, message.id(), name + ' ' + what, from, false), depth, Phase.ENDED);
        }
    }

    private static boolean isHandled(Message message) {
        return message.state() == State.HANDLED || message.state() == State.UNSENT;
    }

    private static String what(Message message) {
        if (Words.hasExpired(message) && isHandled(message)) {
            return "was done: its @OnExpired method had run";
        }
        return switch (message.state()) {
            case HANDLING -> "is being handled: its claim was made or last renewed";
            case WAITING -> "came back without a failed attempt";
            case UNSENT -> "had been handled, and waited for the broker to take what it published";
            case HANDLED ->
                message.published().isEmpty()
                        ? "was handled"
                        : "had been handled, and the broker had what it published";
            case SET_ASIDE -> "was set aside";
            case EXPIRED -> "was dropped, because " + Words.expiry(message);
            case SHREDDED -> "was shredded, because " + Words.ERASED;
            case UNDONE -> "is barred: the undo of its step had arrived";
        };
    }

    private void add(String node, Unsent unsent) {
        String name = Words.message(unsent.type(), unsent.messageId());
        happened(
                new Event(unsent.storedAt(), node, unsent.messageId(), name + " was stored in the outbox", null, false),
                depth(unsent.messageId()),
                Phase.PUBLISHED);
        if (unsent.dueAt().isAfter(now)) {
            expected(unsent.dueAt(), node, unsent.messageId(), name + " is sent by the outbox, if not before");
        }
    }

    private void add(String node, Scheduled scheduled) {
        Instant at = scheduled.deliverAt();
        if (at != null && scheduled.status() == Status.WAITING) {
            expected(
                    at,
                    node,
                    scheduled.messageId(),
                    "scheduled message %s %s".formatted(Words.text(scheduled.messageId()), due(at)));
        }
    }

    private void add(String node, Moved moved) {
        String by = moved.by();
        String what = "%s copy of message %s was %s by %s"
                .formatted(
                        moved.older() ? "an older" : "the",
                        Words.text(moved.messageId()),
                        moved.kind().name().toLowerCase(Locale.ROOT),
                        by == null ? "hand" : Words.text(by));
        happened(new Event(moved.at(), node, moved.messageId(), what, null, false), 0, Phase.TAKEN);
    }

    private void add(String node, Pause pause) {
        happened(
                new Event(
                        pause.since(),
                        node,
                        pause.type(),
                        "%s was %s"
                                .formatted(
                                        Words.handling(pause.type()),
                                        pause.state().equals("OPEN") ? "paused" : "resumed for a few messages"),
                        null,
                        false),
                0,
                Phase.PUBLISHED);
        Instant until = pause.until();
        if (until != null && until.isAfter(now)) {
            expected(until, node, pause.type(), "the pause of %s is over".formatted(Words.types(pause.type())));
        }
    }
}
