// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.SagaView.Step;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.exchange.HandMoves;
import io.safebunny.story.exchange.OwnMessages;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says what became of one message at one node, and what helps it. */
final class MessageSentences {

    /** As many failures as a record keeps: there may have been more. */
    private static final int MOST_FAILURES = 5;

    private static final Duration MOMENT = Duration.ofSeconds(5);

    private final NodeStory part;
    private final Message message;
    /** The attempts that have failed. */
    private final List<Failure> failures;
    /** Whether its deadline has passed, and that was the last to happen. */
    private final boolean isExpired;

    private final Words words;
    private final Receivers receivers;
    /** The parts of all instances of its node. */
    private final List<NodeStory> instances;

    private final CopySentences copies;
    private final Replays replays;

    MessageSentences(
            NodeStory part,
            List<NodeStory> instances,
            Message message,
            Words words,
            Receivers receivers,
            CopySentences copies) {
        this.part = part;
        this.instances = instances;
        this.message = message;
        this.failures = message.failures().stream()
                .filter(failure -> !HandMoves.isVerdict(failure))
                .toList();
        this.isExpired = Words.hasExpired(message);
        this.words = words;
        this.receivers = receivers;
        this.copies = copies;
        this.replays = copies.replays();
    }

    /**
     * @param isAsked whether the story is about this message
     * @param isLatest whether it is the latest command of a saga: of that, too, it is told what it has published
     */
    List<String> sentences(boolean isAsked, boolean isLatest) {
        List<String> sentences = new ArrayList<>();
        boolean isTold = !isAsked && isToldWithSaga();
        if (!isTold) {
            sentences.add(Words.text(part.node()) + ' ' + state() + '.');
        } else if (failures.size() > 1) {
            sentences.add("%s has failed to handle %s %s, the last time at %s."
                    .formatted(Words.text(part.node()), name(), times(), words.at(last().at())));
        }
        boolean isBehind = LineSentences.isBehind(message);
        if (message.state() == State.WAITING && !isBehind) {
            addNext(sentences);
        }
        if (message.state() == State.WAITING && (!isBehind || isAsked)) {
            addPauses(sentences);
        }
        sentences.addAll(LineSentences.of(part, message, isAsked, words, receivers));
        if (message.state() == State.SET_ASIDE) {
            if (isExpired) {
                String why = Words.expiry(message);
                sentences.add(Character.toUpperCase(why.charAt(0)) + why.substring(1) + "; a replay has none.");
            } else if (failures.isEmpty()) {
                sentences.add(
                        isTold
                                ? "How %s has failed is told by its copy in the poison queue.".formatted(name())
                                : "Its record does not tell why; its copy in the poison queue does.");
            }
            sentences.addAll(copies.sentences(part, message));
            String refusal = isDiscarded() ? null : replays.refusal(message);
            String untold = isDiscarded() ? null : untold();
            if (refusal != null) {
                sentences.add(refusal);
            } else if (untold != null && receivers.wereAsked()) {
                sentences.add("Whether a saga still waits for it is not known, because %s.".formatted(untold));
            }
        }
        if (message.state() == State.HANDLED || message.state() == State.UNSENT) {
            sentences.addAll(copies.sentences(part, message));
        }
        List<Publication> unsent = message.published().stream()
                .filter(publication -> !publication.confirmed())
                .toList();
        if (!unsent.isEmpty() && message.state() == State.UNSENT) {
            sentences.add("Its record does not say %sthat the broker has %s."
                    .formatted(isYoung() ? "yet " : "", receivers.named(unsent, words)));
        }
        if (message.state() == State.UNDONE && wasSetAside()) {
            sentences.add("%s had been set aside there before%s."
                    .formatted(
                            Words.capitalised(Words.type(message.type())),
                            isDiscarded() ? "" : ": discard it if nobody has"));
            sentences.addAll(copies.discardsAndRestores(part, message));
        }
        if (isAsked || isLatest) {
            sentences.addAll(receivers.published(message, words));
        }
        return sentences;
    }

    /** Whether all that its first sentence says is told of its saga, and nothing refers to it. */
    private boolean isToldWithSaga() {
        return message.state() == State.SET_ASIDE
                && !isExpired
                && replays.refusal(message) == null
                && replays.isToldWithSaga(part, message);
    }

    private boolean isDiscarded() {
        return copies.isDiscarded(part, message);
    }

    private boolean wasSetAside() {
        List<Failure> all = message.failures();
        return !all.isEmpty() && all.get(all.size() - 1).nextAt() == null;
    }

    private String name() {
        return Words.message(message.type(), message.id());
    }

    private String times() {
        int count = failures.size();
        return (count < MOST_FAILURES ? "" : "at least ") + Words.times(count);
    }

    private String state() {
        String name = name();
        String at = changed("at");
        return switch (message.state()) {
            case HANDLING -> handling(name);
            case WAITING ->
                failures.isEmpty() && message.line() != null
                        ? "has kept %s in its store%s".formatted(name, since())
                        : failures.isEmpty()
                                ? "has returned %s to its queue%s without a failed attempt".formatted(name, at)
                                : "has failed to handle %s %s".formatted(name, tries());
            case UNSENT, HANDLED ->
                isExpired
                        ? "has run the @OnExpired method for %s%s, because %s%s"
                                .formatted(name, handled(), Words.expiry(message), after())
                        : "has handled %s%s%s"
                                .formatted(Words.handled(message, new OwnMessages(part)), handled(), after());
            case EXPIRED -> "has dropped %s%s, because %s%s".formatted(name, at, Words.expiry(message), after());
            case SHREDDED -> "has shredded %s%s, because %s%s".formatted(name, at, Words.ERASED, after());
            case SET_ASIDE -> "has set %s aside%s%s".formatted(name, at, after());
            case UNDONE ->
                "does not handle %s any more: the undo of its step had arrived there%s, and no record says that it had been handled before%s"
                        .formatted(name, changed("by"), undo());
        };
    }

    /** What its saga knows of the undo that has arrived. */
    private String undo() {
        Step step = replays.step(message);
        if (step == null) {
            return "";
        }
        return switch (step.status()) {
            case UNDOING -> ". That undo is not acknowledged yet";
            case UNDONE -> ". That undo was acknowledged";
            case SENT, SKIPPED -> "";
        };
    }

    /** The record of a message that has published something was last written when that was sent, or was to be sent again. */
    private String handled() {
        return changed(message.published().isEmpty() ? "at" : "by");
    }

    private String since() {
        return changed("since");
    }

    /** When its record was last written; empty if that is not known. */
    private String changed(String preposition) {
        return message.changedAt() == null ? "" : " %s %s".formatted(preposition, words.at(message.changedAt()));
    }

    /** A claim that does not change within its lease belongs to nobody who lives. */
    private String handling(String name) {
        Instant until = message.claimedUntil();
        Instant silentSince = until != null && words.isPast(until) ? until : null;
        return "%s %s%s%s%s"
                .formatted(
                        silentSince == null ? "is handling" : "has begun to handle",
                        name,
                        after(),
                        message.changedAt() == null
                                ? ""
                                : "; its claim was made or last renewed at " + words.at(message.changedAt()),
                        silentSince == null
                                ? ""
                                : ", and was to be renewed by %s: its instance may have died. Another one takes over when the message is delivered again"
                                        .formatted(words.at(silentSince)));
    }

    private String tries() {
        Failure last = last();
        return "%s; the last attempt failed at %s (%s)"
                .formatted(times(), words.at(last.at()), receivers.failure(part, last));
    }

    private String after() {
        int count = failures.size();
        return count == 0
                ? ""
                : ", after %s%s, %s %s (%s)"
                        .formatted(
                                count < MOST_FAILURES ? "" : "at least ",
                                Words.count(count, "failed attempt"),
                                count == 1 ? "at" : "the last at",
                                words.at(last().at()),
                                receivers.failure(part, last()));
    }

    private Failure last() {
        return failures.get(failures.size() - 1);
    }

    private void addNext(List<String> sentences) {
        Instant next = failures.isEmpty() ? null : last().nextAt();
        Instant at = message.changedAt();
        if (next != null && at != null && !at.isBefore(next)) {
            sentences.add("It has come back to its queue since, at %s, without another failed attempt."
                    .formatted(words.at(at)));
        } else if (next != null) {
            sentences.add(
                    words.isPast(next)
                            ? "The next attempt was due at %s: the message waits in its %s."
                                    .formatted(
                                            words.at(next),
                                            message.line() == null ? "queue, unless it has got lost" : "store")
                            : "The next attempt is due at %s.".formatted(words.at(next)));
        }
    }

    private void addPauses(List<String> sentences) {
        if (message.type().isEmpty()) {
            return;
        }
        boolean isPaused = false;
        for (NodeStory one : instances) {
            for (Pause pause : one.pauses()) {
                if (pause.type().equals(message.type())) {
                    isPaused = true;
                    sentences.add(
                            "Its type %s, %s.".formatted(words.pause(pause, receivers.withheld(one)), Words.at(one)));
                }
            }
        }
        if (!isPaused) {
            sentences.add("Its type is not paused %s.".formatted(receivers.nowherePaused(part)));
        }
    }

    void advise(Advice advice) {
        if (message.state() == State.WAITING) {
            if (!failures.isEmpty()
                    && last().text() == null
                    && !receivers.withheld(part).isEmpty()) {
                advice.look(
                        "what its exceptions say, which only %s tells, unless safebunny.poison.exception-details is type-only there"
                                .formatted(receivers.keeper(part)),
                        part.node(),
                        "safebunnystory/" + Curl.encoded(message.correlationId()));
            }
            instances.stream()
                    .flatMap(one -> one.pauses().stream())
                    .filter(pause -> pause.type().equals(message.type()))
                    .forEach(pause -> advice.end(part.node(), pause));
        }
        if (message.state() == State.SET_ASIDE && !isDiscarded()) {
            advice.lookAtPoison(part.node(), message.id());
            if (LineSentences.holdsOthers(message)) {
                advice.discardHead(part.node(), message.id(), name());
            }
            if (replays.isLeftOver(message)) {
                advice.discard(part.node(), message.id(), name());
            } else if (replays.refusal(message) == null && !replays.isRepairedBySaga(message)) {
                String name = name();
                String untold = untold();
                String tried = copies.tried(message);
                if (untold != null) {
                    advice.replayIfNotDone(part.node(), message.id(), name, untold);
                } else if (!tried.isEmpty()) {
                    advice.replayUsually(part.node(), message.id(), name, tried);
                } else {
                    advice.replay(part.node(), message.id(), name, !replays.isOfSaga(message));
                }
            }
        }
        if (message.state() == State.UNDONE && wasSetAside() && !isDiscarded()) {
            advice.lookAtPoison(part.node(), message.id());
            advice.discard(part.node(), message.id(), name());
        }
        if (message.state() == State.UNSENT && isOpen()) {
            advice.look("why the broker does not take it", part.node(), "safebunny/publisher");
        }
    }

    /** Why it is not known whether a saga still waits for it, or somebody has done it in another way; {@code null} if that is known. */
    private @Nullable String untold() {
        return replays.isOfSaga(message) ? null : receivers.untold();
    }

    /** Whether something is still to happen to it. */
    boolean isOpen() {
        return switch (message.state()) {
            case HANDLING, WAITING, SET_ASIDE -> true;
            case UNSENT -> !isYoung();
            case HANDLED, UNDONE, EXPIRED, SHREDDED -> false;
        };
    }

    /** Confirms are noted in batches, a moment later. */
    private boolean isYoung() {
        Instant at = message.changedAt();
        return at != null && !words.isPast(at.plus(MOMENT));
    }
}
