// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.ScheduledMessage.Status;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.Scheduled;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.NodeStory.Unsent;
import io.safebunny.story.Story.Event;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects what happened at several nodes, and what is expected, one event each. Confined to one thread. */
final class Chronicle {

    private final Instant now;
    private final List<Event> events = new ArrayList<>();
    /** Nodes that have published a message, by its id. */
    private final Map<String, String> publishers = new HashMap<>();

    private Chronicle(Instant now) {
        this.now = now;
    }

    /** In no particular order. */
    static List<Event> of(Instant now, List<NodeStory> parts) {
        Chronicle chronicle = new Chronicle(now);
        parts.forEach(chronicle::note);
        parts.forEach(chronicle::add);
        return chronicle.events;
    }

    private void note(NodeStory part) {
        for (Message message : part.messages()) {
            for (Publication publication : message.published()) {
                publishers.put(publication.id(), part.node());
            }
        }
        part.outbox().forEach(unsent -> publishers.put(unsent.messageId(), part.node()));
        part.sagas()
                .forEach(saga -> saga.steps().forEach(step -> publishers.putIfAbsent(step.messageId(), part.node())));
    }

    private void add(NodeStory part) {
        String node = part.node();
        part.sagas().forEach(saga -> add(node, saga));
        part.messages().forEach(message -> add(node, message));
        part.outbox().forEach(unsent -> add(node, unsent));
        part.scheduled().forEach(scheduled -> add(node, scheduled));
        part.pauses().forEach(pause -> add(node, pause));
    }

    private void happened(Instant at, String node, String subject, String what, @Nullable String from) {
        events.add(new Event(at, node, subject, what, from, false));
    }

    /** Also if its time has passed. */
    private void expected(Instant at, String node, String subject, String what) {
        events.add(new Event(at, node, subject, what, null, true));
    }

    private String due(Instant at) {
        return at.isAfter(now) ? "is due" : "is overdue";
    }

    private void add(String node, Saga saga) {
        String subject = saga.saga() + ' ' + saga.id();
        for (SagaView.Event event : saga.history()) {
            happened(event.at(), node, subject, Words.text(saga.saga()) + " " + Words.text(event.what()), null);
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

    private void add(String node, Message message) {
        String name = Words.message(message.type(), message.id());
        String from = publishers.get(message.id());
        for (Failure failure : message.failures()) {
            happened(
                    failure.at(),
                    node,
                    message.id(),
                    "%s failed after %s ms%s (%s)"
                            .formatted(
                                    name,
                                    failure.millis(),
                                    failure.instance().isEmpty() ? "" : " on " + Words.text(failure.instance()),
                                    Words.failure(failure)),
                    from);
        }
        if (message.state() == State.WAITING && !message.failures().isEmpty()) {
            Instant next = message.failures().get(message.failures().size() - 1).nextAt();
            if (next != null) {
                expected(next, node, message.id(), "%s %s again".formatted(name, due(next)));
            }
            return; // its release says no more than the failure
        }
        if (message.changedAt() != null) {
            happened(message.changedAt(), node, message.id(), name + ' ' + what(message), from);
        }
    }

    private static String what(Message message) {
        return switch (message.state()) {
            case HANDLING -> "is being handled: its claim was made or last renewed";
            case WAITING -> "came back without a failed attempt";
            case UNSENT -> "had been handled, and waited for the broker to take what it published";
            case HANDLED ->
                message.published().isEmpty()
                        ? "was handled"
                        : "had been handled, and the broker had what it published";
            case SET_ASIDE -> "was set aside";
            case UNDONE -> "is barred, because its step was undone";
        };
    }

    private void add(String node, Unsent unsent) {
        String name = Words.message(unsent.type(), unsent.messageId());
        happened(unsent.storedAt(), node, unsent.messageId(), name + " was stored in the outbox", null);
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

    private void add(String node, Pause pause) {
        happened(
                pause.since(),
                node,
                pause.type(),
                "`%s` was %s"
                        .formatted(
                                Words.text(pause.type()),
                                pause.state().equals("OPEN") ? "paused" : "let in again, with few messages"),
                null);
        Instant until = pause.until();
        if (until != null && until.isAfter(now)) {
            expected(until, node, pause.type(), "the pause of `%s` is over".formatted(Words.text(pause.type())));
        }
    }
}
