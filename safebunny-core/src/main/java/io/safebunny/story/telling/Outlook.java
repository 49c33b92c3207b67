// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaHistory;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Repaired;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.saga.document.SagaHistory.TimedOut;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.exchange.Awaiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says of one saga since when it goes on, and whether anything is known that brings it on. */
final class Outlook {

    private static final Pattern STUCK_ON = Pattern.compile("stuck: \\S+ (\\S+) was set aside");

    private final NodeStory part;
    private final Saga saga;
    private final Words words;
    private final Receivers receivers;

    Outlook(NodeStory part, Saga saga, Words words, Receivers receivers) {
        this.part = part;
        this.saga = saga;
        this.words = words;
        this.receivers = receivers;
    }

    // ---- of an active saga

    /** The end of the sentence that names it. */
    String status() {
        Event idle = idleSince();
        if (idle != null) {
            return "has waited for nothing since %s, when %s: nothing is known to be under way for it"
                    .formatted(words.at(idle.at()), repaired(idle));
        }
        Event held = null; // by what was set aside
        Event again = null;
        for (Event event : saga.history()) {
            if (isHolding(event)) {
                held = held != null && isStuck(held) ? held : event;
            } else if (isResume(event) || (held != null && isGoingOn(held, event))) {
                held = null;
                again = event;
            }
        }
        return again == null
                ? "has been active since " + words.at(saga.startedAt())
                : "has been active again since %s, when %s".formatted(words.at(again.at()), repaired(again));
    }

    private static boolean isHolding(Event event) {
        return isStuck(event) || Happening.of(event) instanceof SetAside;
    }

    private static boolean isStuck(Event event) {
        return event.what().startsWith("stuck: ");
    }

    /** No active saga was resumed unless it had been stuck. */
    private static boolean isResume(Event event) {
        return Happening.of(event) instanceof Repaired repaired && repaired.action() == Action.RESUME;
    }

    private static boolean isGoingOn(Event held, Event event) {
        Happening happening = Happening.of(event);
        return isStuck(held)
                ? happening instanceof Took || happening instanceof TimedOut
                : happening instanceof Repaired repaired
                        && (repaired.action() == Action.RETRY || repaired.action() == Action.SKIP);
    }

    private static String repaired(Event event) {
        if (!(Happening.of(event) instanceof Repaired repaired)) {
            return "it took what it had been stuck on";
        }
        return switch (repaired.action()) {
            case RETRY -> "somebody retried it";
            case SKIP -> "somebody skipped a step of it";
            case RESUME -> "somebody resumed it";
            case FAIL, PATCH -> "somebody changed it";
        };
    }

    /** The repair since which nothing is known to bring it on; {@code null} if it is not so, or not known. */
    @Nullable
    Event idleSince() {
        return saga.status() == SagaStatus.ACTIVE && isNothingUnderWay(givenUp())
                ? SagaHistory.repairWithoutEffect(saga.history(), !saga.steps().isEmpty())
                : null;
    }

    /** What may bring it on even so; at most one sentence. */
    List<String> idle() {
        if (idleSince() == null) {
            return List.of();
        }
        List<String> aside = part.messages().stream()
                .filter(message -> message.state() == State.SET_ASIDE && isToIt(message))
                .map(message -> Words.message(message.type(), message.id()))
                .toList();
        return List.of(
                "It has no timeout, and no command of it may still be answered: it goes on only if what it takes comes by itself%s. Otherwise fail it."
                        .formatted(
                                aside.isEmpty()
                                        ? ""
                                        : ", or if a replay of %s helps".formatted(Words.join(aside, "or"))));
    }

    private boolean isToIt(Message message) {
        return message.correlationId().equals(saga.id())
                && saga.steps().stream()
                        .noneMatch(step -> message.type().equals(step.type())
                                || message.type().equals(step.undo()));
    }

    /** Ids of messages without which it went on. */
    private Set<String> givenUp() {
        return saga.history().stream()
                .map(event -> STUCK_ON.matcher(event.what()))
                .filter(Matcher::matches)
                .map(stuck -> stuck.group(1))
                .collect(Collectors.toSet());
    }

    // ---- of a stuck saga

    /** Whether nothing is known that would bring it on if it were resumed. */
    boolean isIdleOnceResumed() {
        StuckOn on = saga.stuckOn();
        return saga.status() == SagaStatus.STUCK
                && on != null
                && !Awaiting.isTimeout(on.type())
                && isNothingUnderWay(Set.of(on.messageId()));
    }

    /** What comes to it once it is resumed: sentences behind another one. */
    String onceResumed() {
        if (isIdleOnceResumed()) {
            return ". Nothing is known that would bring it on then: it has no timeout, and no command of it may still be answered. Unless what it waits for comes by itself, all that remains is to fail it";
        }
        List<String> due = new ArrayList<>();
        StringBuilder ahead = new StringBuilder();
        new TreeMap<>(saga.timeouts()).forEach((name, at) -> {
            if (words.isPast(at)) {
                due.add("%s, due since %s,".formatted(Words.text(name), words.at(at)));
            } else {
                ahead.append(
                        ". Its timeout %s then runs at %s, unless it is cancelled before: if that fails the saga, its steps are undone, which cannot be taken back"
                                .formatted(Words.text(name), words.at(at)));
            }
        });
        return due.isEmpty()
                ? ahead.toString()
                : ". Its timeout%s %s then run%s at once: if that fails the saga, its steps are undone, which cannot be taken back%s"
                        .formatted(
                                due.size() == 1 ? "" : "s", Words.join(due, "and"), due.size() == 1 ? "s" : "", ahead);
    }

    // ---- of both

    /** @param givenUp messages that are not waited for */
    private boolean isNothingUnderWay(Set<String> givenUp) {
        return saga.timeouts().isEmpty()
                && saga.blockedOn().isEmpty()
                && saga.steps().stream().allMatch(step -> isAnswered(step, givenUp))
                && part.messages().stream()
                        .noneMatch(message -> message.correlationId().equals(saga.id())
                                && (message.state() == State.WAITING || message.state() == State.HANDLING));
    }

    /** Whether it was handled, and its node has taken something that was published then: what else it sends, it may send later. */
    private boolean isAnswered(Step step, Set<String> givenUp) {
        return step.status() != StepStatus.SENT
                || receivers.of(step.messageId()).stream()
                        .map(Receivers.Known::message)
                        .filter(message -> message.state() == State.HANDLED || message.state() == State.UNSENT)
                        .flatMap(message -> message.published().stream())
                        .anyMatch(sent -> givenUp.contains(sent.id())
                                || receivers.handledBy(sent.id()).contains(part.node()));
    }
}
