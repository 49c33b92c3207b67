// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.SentStep;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.exchange.OwnMessages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Says of one saga which of its messages were set aside, and whether it waits for somebody who repairs that. */
final class BlockSentences {

    private final Saga saga;
    private final Words words;
    private final Receivers receivers;

    BlockSentences(Saga saga, Words words, Receivers receivers) {
        this.saga = saga;
        this.words = words;
        this.receivers = receivers;
    }

    /**
     * What was set aside, if nothing else is known that the saga waits for: the command that it has sent last, after it had an answer to those
     * before it. {@code null} if there is no such message, or if somebody has had it handled again already.
     */
    @Nullable
    BlockedOn waitsForRepairOf() {
        List<Step> sent = saga.steps().stream()
                .filter(step -> step.status() == StepStatus.SENT)
                .toList();
        if (saga.status() != SagaStatus.ACTIVE || sent.isEmpty()) {
            return null;
        }
        Step latest = sent.get(sent.size() - 1);
        return saga.blockedOn().stream()
                .filter(blocked -> blocked.messageId().equals(latest.messageId()))
                .filter(blocked -> receivers.of(blocked.messageId()).stream()
                        .noneMatch(known -> known.part().node().equals(blocked.node())
                                && known.message().state() != State.SET_ASIDE
                                && known.message().state() != State.EXPIRED
                                && known.message().state() != State.SHREDDED))
                .findFirst()
                .filter(blocked -> isAnsweredBefore(latest, sent))
                .orElse(null);
    }

    /** Whether all other steps whose fate is open were sent before a message came, and the latest one after it. */
    private boolean isAnsweredBefore(Step latest, List<Step> sent) {
        Set<String> open = new HashSet<>();
        sent.stream()
                .filter(step -> saga.blockedOn().stream()
                        .noneMatch(blocked -> blocked.messageId().equals(step.messageId())))
                .forEach(step -> open.add(new SentStep(step.name(), step.type()).words()));
        boolean isAnswered = true;
        for (SagaView.Event event : saga.history()) {
            if (open.contains(event.what())) {
                isAnswered = false;
            } else if (Happening.of(event) instanceof Took) {
                isAnswered = true;
            } else if (event.what().equals(new SentStep(latest.name(), latest.type()).words())) {
                return isAnswered;
            }
        }
        return isAnswered;
    }

    /** The end of the sentence that names the saga. */
    String status(BlockedOn blocked) {
        Instant since = setAsideAt(blocked);
        String step = saga.steps().stream()
                .filter(one -> one.messageId().equals(blocked.messageId()))
                .map(Step::name)
                .findFirst()
                .orElse("");
        return "%s a repair%s: %s"
                .formatted(
                        since == null ? "waits for" : "has waited for",
                        since == null ? "" : sinceAtLeast() + words.at(since),
                        "%s has %s %s, the command of step %s (%s)"
                                .formatted(
                                        Words.text(blocked.node()),
                                        receivers.dropped(blocked) == null ? "set aside" : "dropped",
                                        Words.message(blocked.type(), blocked.messageId()),
                                        Words.text(step),
                                        why(blocked)));
    }

    /** @param repair of which the first sentence tells; {@code null} for none */
    List<String> sentences(@Nullable BlockedOn repair) {
        List<String> sentences = new ArrayList<>();
        if (repair != null) {
            sentences.add(
                    "That step does not go on until somebody repairs it: nothing tries it again%s.%s The saga began at %s, and last changed at %s."
                            .formatted(
                                    receivers.dropped(repair) == null ? " by itself" : "",
                                    tooOld(repair),
                                    words.at(saga.startedAt()),
                                    words.at(saga.changedAt())));
        }
        saga.blockedOn().stream()
                .filter(blocked -> !blocked.equals(repair) && !isToldByItsRecord(blocked))
                .forEach(blocked -> sentences.add("%s, and the saga %s.%s"
                        .formatted(
                                setAside(blocked),
                                SagaAdvice.isWaitedFor(saga, blocked)
                                        ? "is blocked on it"
                                        : "does not wait for it any more",
                                tooOld(blocked))));
        return sentences;
    }

    private String sinceAtLeast() {
        return OwnMessages.isHistoryWhole(saga) ? " since " : " at least since ";
    }

    /** With why nobody waits for it any more. */
    private boolean isToldByItsRecord(BlockedOn blocked) {
        return !SagaAdvice.isWaitedFor(saga, blocked)
                && !SagaAdvice.isTooOld(blocked)
                && records(blocked).findAny().isPresent();
    }

    /** When the saga has heard of it first, whatever was tried since; {@code null} if its history does not reach back. */
    private @Nullable Instant setAsideAt(BlockedOn blocked) {
        return saga.history().stream()
                .filter(event -> PastSentences.isAbout(event, blocked))
                .map(SagaView.Event::at)
                .findFirst()
                .orElse(null);
    }

    private String setAside(BlockedOn blocked) {
        return (receivers.dropped(blocked) == null ? "%s has set %s aside%s (%s)" : "%s has dropped %s%s (%s)")
                .formatted(
                        Words.text(blocked.node()),
                        Words.message(blocked.type(), blocked.messageId()),
                        records(blocked)
                                .map(known -> known.message().changedAt())
                                .filter(Objects::nonNull)
                                .findFirst()
                                .map(at -> " at " + words.at(at))
                                .orElse(""),
                        why(blocked));
    }

    private String why(BlockedOn blocked) {
        Message dropped = receivers.dropped(blocked);
        return dropped == null ? Words.text(blocked.reason()) + failure(blocked) : Words.expiry(dropped);
    }

    /** The last one, if the record of the message is known and tells it. */
    private String failure(BlockedOn blocked) {
        return records(blocked)
                .flatMap(
                        known -> known.message().failures().stream().map(last -> receivers.failure(known.part(), last)))
                .reduce((earlier, later) -> later)
                .map(last -> ": " + last)
                .orElse("");
    }

    /** Those of its node that say that it is set aside. */
    private Stream<Receivers.Known> records(BlockedOn blocked) {
        return receivers.of(blocked.messageId()).stream()
                .filter(known -> known.part().node().equals(blocked.node()))
                .filter(known -> known.message().state() == State.SET_ASIDE);
    }

    private static String tooOld(BlockedOn blocked) {
        return SagaAdvice.isTooOld(blocked)
                ? " It is too old for %s to know whether it was carried out: find that out first."
                        .formatted(Words.text(blocked.node()))
                : "";
    }
}
