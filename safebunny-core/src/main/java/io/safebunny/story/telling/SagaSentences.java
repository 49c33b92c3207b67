// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Awaited;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.exchange.Awaiting;
import io.safebunny.story.exchange.OwnMessages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Says where one saga is, and what it waits for. */
final class SagaSentences {

    private final NodeStory part;
    private final Saga saga;
    private final Words words;
    private final Receivers receivers;
    private final Outlook outlook;

    SagaSentences(NodeStory part, Saga saga, Words words, Receivers receivers) {
        this.part = part;
        this.saga = saga;
        this.words = words;
        this.receivers = receivers;
        this.outlook = new Outlook(part, saga, words, receivers);
    }

    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        BlockSentences blocks = new BlockSentences(saga, words, receivers);
        BlockedOn repair = blocks.waitsForRepairOf();
        sentences.add("%s %s of %s %s."
                .formatted(
                        Words.text(saga.saga()),
                        Words.text(saga.id()),
                        Words.text(part.node()),
                        repair == null ? status() : blocks.status(repair)));
        PastSentences past = new PastSentences(part, saga, words, receivers);
        sentences.addAll(past.timeout());
        if (saga.status().isEnded()) {
            sentences.addAll(past.repairs());
            return sentences;
        }
        if (saga.status() == SagaStatus.STUCK) {
            sentences.add("It takes no other message until somebody repairs it.");
        }
        sentences.addAll(blocks.sentences(repair));
        sentences.addAll(past.repairs());
        sentences.addAll(outlook.idle());
        if (saga.status() == SagaStatus.ACTIVE && repair == null) {
            addWaiting(sentences);
        }
        if (saga.status() == SagaStatus.ACTIVE) {
            addSkipped(sentences);
        }
        addPauses(sentences, repair == null);
        addTimeouts(sentences);
        return sentences;
    }

    private String status() {
        String changed = words.at(saga.changedAt());
        String withheld = receivers.withheld(part);
        String reason = saga.reason() != null
                ? " (" + Words.quoted(saga.reason()) + ')'
                : withheld.isEmpty() ? "" : " (%s why)".formatted(withheld);
        return switch (saga.status()) {
            case ACTIVE -> outlook.status();
            case COMPLETED -> "completed; it last changed at " + changed;
            case FAILED -> "failed%s, and has ended%s; it last changed at %s".formatted(reason, undone(), changed);
            case COMPENSATING ->
                "failed%s and undoes its steps%s; it last changed at %s".formatted(reason, awaitedUndo(), changed);
            case STUCK -> stuck(changed);
            case COMPENSATION_FAILED ->
                "failed%s, and %s. It waits until somebody repairs it; it last changed at %s"
                        .formatted(reason, failedUndo(), changed);
        };
    }

    private String stuck(String changed) {
        StuckOn on = saga.stuckOn();
        if (on == null) {
            return "is stuck; it last changed at " + changed;
        }
        String exception = on.exception();
        return "has been stuck since %s on %s, which %s has set aside%s"
                .formatted(
                        words.at(on.since()),
                        message(on),
                        Words.text(on.node()),
                        exception == null ? "" : ": " + receivers.failure(part, exception, on.text()));
    }

    static String message(StuckOn on) {
        String type = on.type();
        return Words.message(type == null ? "" : type, on.messageId());
    }

    /** Also what was not undone. */
    private String undone() {
        int undone = 0;
        StringBuilder others = new StringBuilder();
        for (Step step : saga.steps()) {
            String name = Words.text(step.name());
            switch (step.status()) {
                case UNDONE -> undone++;
                case SKIPPED ->
                    others.append(
                            "; step %s was skipped by an operator, and no node has acknowledged that it was undone"
                                    .formatted(name));
                case SENT, UNDOING ->
                    others.append(
                            step.undo() == null
                                    ? "; step %s has no undo".formatted(name)
                                    : "; step %s was not undone".formatted(name));
            }
        }
        return (undone == 0 ? "" : ", with " + Words.count(undone, "step") + " undone") + others;
    }

    private String awaitedUndo() {
        Step step = undoing();
        return step == null
                ? ""
                : ". It has sent `%s`, the undo of step %s%s, and waits for its acknowledgement"
                        .formatted(undo(step), Words.text(step.name()), sentAt(step));
    }

    /** The last time, if its history reaches back. */
    private String sentAt(Step undoing) {
        return saga.history().stream()
                .filter(event -> event.what().equals("undoing step " + undoing.name()))
                .reduce((earlier, later) -> later)
                .map(event -> ", at " + words.at(event.at()))
                .orElse("");
    }

    /** An undo whose acknowledgement was set aside was carried out: who does it again may pay twice. */
    private String failedUndo() {
        Step step = undoing();
        if (step == null) {
            return "an undo was set aside";
        }
        return saga.blockedOn().stream().map(BlockedOn::type).anyMatch(SagaAdvice::isAcknowledgement)
                ? "the acknowledgement of `%s`, the undo of step %s, was set aside: the undo itself was carried out"
                        .formatted(undo(step), Words.text(step.name()))
                : "an undo was set aside: `%s` of step %s".formatted(undo(step), Words.text(step.name()));
    }

    private static String undo(Step step) {
        return Words.text(String.valueOf(step.undo()));
    }

    private @Nullable Step undoing() {
        return saga.steps().stream()
                .filter(step -> step.status() == StepStatus.UNDOING)
                .findFirst()
                .orElse(null);
    }

    private void addWaiting(List<String> sentences) {
        String changed = "It last changed at %s.".formatted(words.at(saga.changedAt()));
        if (saga.awaited().isEmpty()) {
            sentences.add(changed + " All that it takes has come at least once.");
        } else {
            sentences.add("%s Of what it takes, %s: %s; what comes more than once is not in this list."
                    .formatted(
                            changed,
                            OwnMessages.isHistoryWhole(saga)
                                    ? "it has not taken these yet"
                                    : "what is left of its history (%s) does not name these"
                                            .formatted(
                                                    Words.count(saga.history().size(), "event")),
                            awaited()));
        }
        List<Step> sent = saga.steps().stream()
                .filter(step -> step.status() == StepStatus.SENT)
                .toList();
        if (!sent.isEmpty()) {
            Step last = sent.get(sent.size() - 1);
            sentences.add("Its latest step is %s: %s%s."
                    .formatted(
                            Words.text(last.name()),
                            Words.message(last.type(), last.messageId()),
                            receivers.isComplete() && !receivers.isKnown(last.messageId())
                                    ? ", of which no node that has answered has a record"
                                    : ""));
        }
    }

    private void addSkipped(List<String> sentences) {
        saga.steps().stream()
                .filter(step -> step.status() == StepStatus.SKIPPED)
                .forEach(step -> sentences.add(
                        "Its step %s was skipped by an operator: if its answer does not come all the same, the saga goes on only by something else."
                                .formatted(Words.text(step.name()))));
    }

    /** {@code `Captured` and `Declined` from billing}. */
    private String awaited() {
        Map<String, List<String>> types = new LinkedHashMap<>();
        for (Awaited awaited : saga.awaited()) {
            types.computeIfAbsent(Words.join(awaited.from(), "or"), from -> new ArrayList<>())
                    .add('`' + Words.text(awaited.type()) + '`');
        }
        List<String> parts = new ArrayList<>();
        types.forEach((from, names) ->
                parts.add(Words.join(names, "and") + (from.isEmpty() ? "" : " from " + Words.text(from))));
        return String.join(", ", parts);
    }

    /** Whether it is of a type that the saga waits for, or that keeps all sagas going. */
    static boolean isHeldBy(Saga saga, Pause pause) {
        return Awaiting.isForSagas(pause.type())
                || saga.awaited().stream().anyMatch(awaited -> awaited.type().equals(pause.type()));
    }

    /** @param detailed whether to tell that there is none, too */
    private void addPauses(List<String> sentences, boolean detailed) {
        List<Pause> pauses =
                part.pauses().stream().filter(pause -> isHeldBy(saga, pause)).toList();
        pauses.forEach(pause -> sentences.add("%s %s, %s."
                .formatted(
                        Words.handling(pause.type()), words.pause(pause, receivers.withheld(part)), Words.at(part))));
        if (detailed
                && pauses.isEmpty()
                && saga.status() == SagaStatus.ACTIVE
                && !saga.awaited().isEmpty()) {
            sentences.add(
                    saga.awaited().size() == 1
                            ? "This type is not paused %s.".formatted(receivers.nowherePaused(part))
                            : "None of these types is paused %s.".formatted(receivers.nowherePaused(part)));
        }
    }

    private void addTimeouts(List<String> sentences) {
        for (Map.Entry<String, Instant> timeout : new TreeMap<>(saga.timeouts()).entrySet()) {
            boolean isPast = words.isPast(timeout.getValue());
            String name = Words.text(timeout.getKey());
            String at = words.at(timeout.getValue());
            if (saga.status() == SagaStatus.ACTIVE) {
                sentences.add("Its timeout %s %s %s.".formatted(name, isPast ? "has been due since" : "is due at", at));
            } else if (isPast) {
                sentences.add("Its timeout %s was due at %s: it runs as soon as the saga goes on%s."
                        .formatted(name, at, unlessCancelled()));
            } else {
                sentences.add(
                        "Its timeout %s is due at %s, but does not run until the saga goes on.".formatted(name, at));
            }
        }
    }

    /** A replay of what it is stuck on is handled before any timeout. */
    private String unlessCancelled() {
        StuckOn on = saga.stuckOn();
        boolean isItself =
                on != null && Awaiting.isTimeout(on.type()) && saga.timeouts().size() == 1;
        return on == null || isItself ? "" : ", unless %s, handled again, cancels it".formatted(message(on));
    }
}
