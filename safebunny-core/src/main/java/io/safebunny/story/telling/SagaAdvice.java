// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.message.PoisonReason;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.exchange.Awaiting;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds what helps one saga. */
final class SagaAdvice {

    private final NodeStory part;
    private final Saga saga;
    private final Advice advice;
    private final Words words;
    private final Receivers receivers;
    private final CopySentences copies;
    private final Outlook outlook;

    SagaAdvice(NodeStory part, Saga saga, Advice advice, Words words, Receivers receivers, CopySentences copies) {
        this.part = part;
        this.saga = saga;
        this.advice = advice;
        this.words = words;
        this.receivers = receivers;
        this.copies = copies;
        this.outlook = new Outlook(part, saga, words, receivers);
    }

    /** Nobody knows any more whether it was carried out, and sent again it would be set aside again. */
    static boolean isTooOld(BlockedOn blocked) {
        return blocked.reason().equals(PoisonReason.TOO_OLD.wireName());
    }

    /** While its steps are undone, a saga waits for undos and for their acknowledgements only. */
    static boolean isWaitedFor(Saga saga, BlockedOn blocked) {
        return takesCommands(saga) || isAcknowledgement(blocked.type()) || step(saga, blocked) != null;
    }

    private static boolean takesCommands(Saga saga) {
        return saga.status() == SagaStatus.ACTIVE || saga.status() == SagaStatus.STUCK;
    }

    /** Whether it says that an undo was carried out. */
    static boolean isAcknowledgement(String type) {
        return type.equals(Awaiting.UNDONE);
    }

    void add() {
        if (!saga.status().isEnded()) {
            addStuck();
            if (outlook.idleSince() != null) {
                advice.fail(part.node(), saga);
            }
            saga.blockedOn().forEach(this::add);
            addNodes();
            for (Pause pause : part.pauses()) {
                if (SagaSentences.isHeldBy(saga, pause)) {
                    advice.end(part.node(), pause);
                }
            }
        }
        advice.lookAt(part.node(), saga);
    }

    private void addStuck() {
        StuckOn on = saga.stuckOn();
        if (saga.status() == SagaStatus.STUCK && on != null) {
            String message = SagaSentences.message(on);
            advice.lookAtPoison(on.node(), on.messageId());
            replay(on.node(), on.messageId(), message, replayed(on));
            advice.replayRefused(part.node(), saga, on);
            advice.resume(part.node(), saga, Awaiting.isTimeout(on.type()) ? null : message, outlook.onceResumed());
            advice.fail(part.node(), saga);
            advice.test(part.node(), saga);
        }
    }

    /** @param tried how somebody has replayed it in vain; empty if nobody has */
    private void replay(String node, String messageId, String message, String tried) {
        if (isDiscarded(node, messageId)) {
            restore(node, messageId, message, tried);
        } else {
            advice.replayUsually(node, messageId, message, tried);
        }
    }

    private void restore(String node, String messageId, String message, String tried) {
        if (setAside(node, messageId).noneMatch(known -> copies.isGone(known.part(), known.message()))) {
            advice.restore(node, messageId, message, tried);
        }
    }

    private Stream<Receivers.Known> setAside(String node, String messageId) {
        return receivers.of(messageId).stream()
                .filter(known -> known.part().node().equals(node))
                .filter(known -> known.message().state() == State.SET_ASIDE);
    }

    /** Whether its copy is known to be in the archive, so that there is nothing to replay. */
    private boolean isDiscarded(String node, String messageId) {
        return setAside(node, messageId).anyMatch(known -> copies.isDiscarded(known.part(), known.message()));
    }

    /** How somebody has replayed it in vain; empty if nobody has. */
    private String replayed(StuckOn on) {
        return setAside(on.node(), on.messageId())
                .map(known -> copies.tried(known.message()))
                .filter(tried -> !tried.isEmpty())
                .findFirst()
                .orElse("");
    }

    private void add(BlockedOn blocked) {
        String message = Words.message(blocked.type(), blocked.messageId());
        Step step = step(saga, blocked);
        if (receivers.dropped(blocked) != null) {
            if (step != null) { // sent again, it would be a duplicate
                advice.skip(part.node(), saga, step.name(), "nobody needs %s any more".formatted(message));
                advice.fail(part.node(), saga);
            }
            return;
        }
        advice.lookAtPoison(blocked.node(), blocked.messageId());
        if (!isWaitedFor(saga, blocked)) {
            return;
        }
        if (isAcknowledgement(blocked.type())) {
            replay(blocked.node(), blocked.messageId(), message, "");
        } else if (isTooOld(blocked)) {
            if (step != null) {
                if (isDiscarded(blocked.node(), blocked.messageId())) {
                    restore(blocked.node(), blocked.messageId(), message, "");
                } else {
                    advice.replayForced(blocked.node(), blocked.messageId(), message);
                }
                advice.skip(part.node(), saga, step.name(), message + " was carried out, or is not to be any more");
                if (takesCommands(saga)) {
                    advice.fail(part.node(), saga); // skipped, it waits for an answer that need not come
                }
            }
        } else if (step != null) {
            boolean isInVain = new PastSentences(part, saga, words, receivers).wasSetAsideAgain();
            advice.retry(part.node(), saga, isInVain ? "was retried by hand, and set aside again" : "");
            if (takesCommands(saga)) {
                advice.fail(part.node(), saga); // skipped, it would wait for an answer that does not come
            } else {
                advice.skip(part.node(), saga, step.name(), "somebody has undone by hand what it has done");
            }
            advice.test(part.node(), saga);
        } else {
            replay(blocked.node(), blocked.messageId(), message, "");
        }
    }

    /** Whose command or undo it is, if the saga still wants that; otherwise a retry is refused. */
    static @Nullable Step step(Saga saga, BlockedOn blocked) {
        boolean wantsCommands = takesCommands(saga);
        return saga.steps().stream()
                .filter(step -> wantsCommands
                        ? step.status() == StepStatus.SENT && step.messageId().equals(blocked.messageId())
                        : step.status() == StepStatus.UNDOING && blocked.type().equals(step.undo()))
                .findFirst()
                .orElse(null);
    }

    private void addNodes() {
        saga.awaited().stream()
                .flatMap(awaited -> awaited.from().stream())
                .filter(node -> !node.equals(part.node()) && !receivers.hasAnswered(node))
                .distinct()
                .forEach(node -> advice.look(
                        "is %s there, and does it handle its types?".formatted(Words.text(node)),
                        part.node(),
                        "safebunny/nodes/" + Curl.encoded(node)));
        if (saga.status() == SagaStatus.COMPENSATING) {
            advice.look("is the node there that undoes the step?", part.node(), "safebunny/nodes");
        }
    }
}
