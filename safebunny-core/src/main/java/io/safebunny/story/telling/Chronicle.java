// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.ScheduledMessage.Status;
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

    private void event(Instant at, String node, String subject, String what, @Nullable String from) {
        events.add(new Event(at, node, subject, what, from, at.isAfter(now)));
    }

    private void add(String node, Saga saga) {
        String subject = saga.saga() + ' ' + saga.id();
        for (SagaView.Event event : saga.history()) {
            event(event.at(), node, subject, Words.text(saga.saga()) + " " + Words.text(event.what()), null);
        }
        if (!saga.status().isEnded()) {
            saga.timeouts()
                    .forEach((name, at) -> event(
                            at,
                            node,
                            subject,
                            "%s: timeout %s is due".formatted(Words.text(saga.saga()), Words.text(name)),
                            null));
        }
    }

    private void add(String node, Message message) {
        String name = Words.message(message.type(), message.id());
        String from = publishers.get(message.id());
        for (Failure failure : message.failures()) {
            event(
                    failure.at(),
                    node,
                    message.id(),
                    "%s failed after %s ms on %s (%s)"
                            .formatted(name, failure.millis(), Words.text(failure.instance()), Words.failure(failure)),
                    from);
        }
        if (message.state() == State.WAITING && !message.failures().isEmpty()) {
            Instant next = message.failures().get(message.failures().size() - 1).nextAt();
            if (next != null) {
                event(next, node, message.id(), name + " is due again", null);
            }
            return; // its release says no more than the failure
        }
        if (message.changedAt() != null) {
            event(message.changedAt(), node, message.id(), name + ' ' + what(message), from);
        }
    }

    private static String what(Message message) {
        return switch (message.state()) {
            case HANDLING -> "is being handled";
            case WAITING -> "came back without a failed attempt";
            case UNSENT -> "was handled, and waits for the broker to take what it published";
            case HANDLED -> "was handled";
            case SET_ASIDE -> "was set aside";
            case UNDONE -> "is barred, because its step was undone";
        };
    }

    private void add(String node, Unsent unsent) {
        String name = Words.message(unsent.type(), unsent.messageId());
        event(unsent.storedAt(), node, unsent.messageId(), name + " was stored in the outbox", null);
        if (unsent.dueAt().isAfter(now)) {
            event(unsent.dueAt(), node, unsent.messageId(), name + " is sent by the outbox, if not before", null);
        }
    }

    private void add(String node, Scheduled scheduled) {
        Instant at = scheduled.deliverAt();
        if (at != null && scheduled.status() != Status.CANCELLED) {
            event(
                    at,
                    node,
                    scheduled.messageId(),
                    "scheduled message %s is due".formatted(Words.text(scheduled.messageId())),
                    null);
        }
    }

    private void add(String node, Pause pause) {
        event(pause.since(), node, pause.type(), "`%s` was paused".formatted(Words.text(pause.type())), null);
        Instant until = pause.until();
        if (until != null && until.isAfter(now)) {
            event(until, node, pause.type(), "the pause of `%s` is over".formatted(Words.text(pause.type())), null);
        }
    }
}
