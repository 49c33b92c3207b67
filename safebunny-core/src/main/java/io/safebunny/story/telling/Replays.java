// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.poison.wanted.Wish;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.SentStep;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.exchange.Awaiting;
import io.safebunny.story.exchange.HandMoves;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a message that was set aside may be handled again. In doubt it may not: a replay of what nobody wants any more, or of what
 * was done in another way, may have an effect twice. Immutable.
 */
final class Replays {

    private static final String SKIPPED =
            "Its step was skipped by an operator, as done by hand or not wanted. Discard it if nobody has: a replay is refused, and a forced one would do it all the same.";
    private static final String TYPE_SKIPPED =
            "A step with this type was skipped by an operator, and whether it is that of this message is not known: replayed, it may be done all the same.";
    private static final String ONE_SKIPPED =
            "One of the steps with this undo was skipped by an operator, and which of them it undoes is not known: replayed, it may be done all the same.";
    private static final String UNDONE =
            "The undo of its step is acknowledged already: replayed, it would be done once more.";
    private static final String REPLACED =
            "Its type is that of a step, but its saga has no such step with this message: it has forgotten it, or somebody else has sent the message. Replayed, it may be done twice.";
    private static final String ENDED =
            "The saga with its correlation id has ended: if this message is handled again, it may do what nobody waits for any more.";
    private static final String LEFT_OVER =
            "It is left over: its saga has ended. Discard it if nobody has, and do not replay it.";
    private static final String IGNORED =
            "It is left over: its saga has failed, and takes no more messages. Discard it if nobody has: a replay does nothing.";
    private static final String MISSED =
            "It is left over: its saga has ended, and takes no more messages. Discard it if nobody has: a replay does nothing.";
    private static final String UNDOING =
            "The saga with its correlation id has failed, and wants its steps undone: if this message is handled again, it may do what nobody waits for any more.";

    private static final Set<String> UNWANTED = Set.of(SKIPPED, UNDONE, LEFT_OVER, IGNORED, MISSED);

    private final List<Saga> sagas = new ArrayList<>();
    /** Of the sagas. */
    private final IdentityHashMap<Saga, String> nodes = new IdentityHashMap<>();

    Replays(List<NodeStory> parts) {
        parts.forEach(part -> part.sagas().forEach(saga -> {
            sagas.add(saga);
            nodes.put(saga, part.node());
        }));
    }

    /** Why a message must not be handled again, in a sentence; {@code null} if nothing that is known speaks against it. */
    @Nullable
    String refusal(Message message) {
        List<Saga> concerned = sagasOf(message);
        List<Step> commands = steps(concerned, step -> step.messageId().equals(message.id()));
        List<Step> undos =
                commands.isEmpty() ? steps(concerned, step -> message.type().equals(step.undo())) : List.of();
        Set<Wish> wishes = wishes(concerned, commands, undos);
        if (isAny(undos, StepStatus.SKIPPED) && undos.stream().anyMatch(step -> step.status() != StepStatus.SKIPPED)) {
            return ONE_SKIPPED;
        } else if (wishes.contains(Wish.SKIPPED)) {
            return SKIPPED;
        } else if (commands.isEmpty() && isOfSkippedType(concerned, message)) {
            return TYPE_SKIPPED;
        } else if (concerned.isEmpty()) {
            return null;
        } else if (concerned.stream().allMatch(saga -> saga.status().isEnded())) {
            return isIgnored(concerned, message) ? MISSED : isLeftOver(message) ? LEFT_OVER : ENDED;
        } else if (isAny(undos, StepStatus.UNDOING)) {
            return null;
        } else if (wishes.contains(Wish.UNDONE)) {
            return UNDONE;
        } else if (commands.isEmpty() && concerned.stream().anyMatch(saga -> hasSent(saga, message.type()))) {
            return REPLACED;
        }
        boolean isWanted =
                commands.isEmpty() ? concerned.stream().anyMatch(Replays::takesMessages) : wishes.contains(Wish.WANTED);
        if (isWanted || SagaAdvice.isAcknowledgement(message.type())) {
            return null;
        }
        return isIgnored(concerned, message) ? IGNORED : UNDOING;
    }

    /** Whether it is known that nobody waits for what it would do. */
    boolean isUnwanted(Message message) {
        String refusal = refusal(message);
        return refusal != null && UNWANTED.contains(refusal);
    }

    /**
     * Whether it was for sagas that have ended: they take it no more, or have failed without it. Not what others do for themselves, and not
     * a command of a saga that has gone well without it: its effect may still be wanted.
     */
    boolean isLeftOver(Message message) {
        List<Saga> concerned = sagasOf(message);
        boolean isEnded = !concerned.isEmpty()
                && concerned.stream().allMatch(saga -> saga.status().isEnded());
        return isEnded
                ? concerned.stream()
                        .anyMatch(saga -> HandMoves.isOfStep(saga, message)
                                ? saga.status() == SagaStatus.FAILED
                                : Awaiting.isForSagas(message.type()) || hasMissed(saga, message))
                : isIgnored(concerned, message);
    }

    /** Whether it was for sagas that have ended, or have failed and undo their steps now: they take no message but for that. */
    private boolean isIgnored(List<Saga> concerned, Message message) {
        boolean haveEnded = concerned.stream().allMatch(saga -> saga.status().isEnded());
        return concerned.stream()
                        .noneMatch(saga -> takesMessages(saga)
                                || HandMoves.isOfStep(saga, message)
                                || hasSent(saga, message.type())) // to a node that may handle it all the same
                && !Awaiting.isForSagas(message.type())
                && concerned.stream()
                        .anyMatch(saga -> saga.status().isEnded() == haveEnded && hasMissedAtItsNode(saga, message));
    }

    private boolean hasMissedAtItsNode(Saga saga, Message message) {
        return saga.history().stream()
                .map(Happening::of)
                .anyMatch(event -> event instanceof SetAside aside
                        && aside.message().messageId().equals(message.id())
                        && aside.message().node().equals(nodes.get(saga)));
    }

    /** A saga hears only of what it takes or has sent. */
    private static boolean hasMissed(Saga saga, Message message) {
        return saga.history().stream()
                .map(Happening::of)
                .anyMatch(event -> event instanceof SetAside aside
                        && aside.message().messageId().equals(message.id()));
    }

    /** Whether sentences about its saga tell that it is set aside, and how it has failed. */
    boolean isToldWithSaga(NodeStory part, Message message) {
        return sagasOf(message).stream().anyMatch(saga -> {
            StuckOn on = isStuckOn(saga, message) ? saga.stuckOn() : null;
            return on == null
                    ? saga.blockedOn().stream()
                            .anyMatch(blocked -> blocked.messageId().equals(message.id())
                                    && blocked.node().equals(part.node()))
                    : on.node().equals(part.node())
                            && (on.exception() != null || message.failures().isEmpty());
        });
    }

    boolean isStuckOn(Message message) {
        return sagasOf(message).stream().anyMatch(saga -> isStuckOn(saga, message));
    }

    boolean isIdleOnceResumed(NodeStory part, Message message, Words words, Receivers receivers) {
        return sagasOf(message).stream()
                .filter(saga -> isStuckOn(saga, message))
                .anyMatch(saga -> new Outlook(part, saga, words, receivers).isIdleOnceResumed());
    }

    private static boolean isStuckOn(Saga saga, Message message) {
        StuckOn on = saga.stuckOn();
        return saga.status() == SagaStatus.STUCK && on != null && on.messageId().equals(message.id());
    }

    /** Whether the saga sends it again if it is told to retry, which it then has to be told. */
    boolean isRepairedBySaga(Message message) {
        return sagasOf(message).stream()
                .filter(saga -> !saga.status().isEnded())
                .anyMatch(saga -> saga.blockedOn().stream()
                        .anyMatch(blocked ->
                                blocked.messageId().equals(message.id()) && SagaAdvice.step(saga, blocked) != null));
    }

    /** Whether a saga in this story may have been waiting for it. */
    boolean isOfSaga(Message message) {
        return !sagasOf(message).isEmpty();
    }

    /** The step whose command it is; {@code null} if it is none of a saga that is known. */
    @Nullable
    Step step(Message command) {
        return steps(sagasOf(command), step -> step.messageId().equals(command.id())).stream()
                .findFirst()
                .orElse(null);
    }

    /** As a replay judges, too, which is not to do what is not wanted. */
    private static Set<Wish> wishes(List<Saga> sagas, List<Step> commands, List<Step> undos) {
        Set<Wish> wishes = EnumSet.noneOf(Wish.class);
        for (Saga saga : sagas) {
            for (Step step : saga.steps()) {
                if (commands.contains(step) || undos.contains(step)) {
                    wishes.add(Wish.of(saga.status(), step.status(), undos.contains(step)));
                }
            }
        }
        return wishes;
    }

    private List<Saga> sagasOf(Message message) {
        return sagas.stream()
                .filter(saga -> saga.id().equals(message.correlationId()))
                .toList();
    }

    private static List<Step> steps(List<Saga> sagas, Predicate<Step> which) {
        return sagas.stream()
                .flatMap(saga -> saga.steps().stream())
                .filter(which)
                .toList();
    }

    private static boolean isAny(List<Step> steps, StepStatus status) {
        return steps.stream().anyMatch(step -> step.status() == status);
    }

    private static boolean isOfSkippedType(List<Saga> sagas, Message message) {
        return isAny(steps(sagas, step -> step.type().equals(message.type())), StepStatus.SKIPPED);
    }

    /** As the command of a step that it has, or had as far as its history reaches. */
    private static boolean hasSent(Saga saga, String type) {
        return saga.steps().stream().anyMatch(step -> step.type().equals(type))
                || saga.history().stream()
                        .map(Happening::of)
                        .anyMatch(event ->
                                event instanceof SentStep sent && sent.type().equals(type));
    }

    private static boolean takesMessages(Saga saga) {
        return saga.status() == SagaStatus.ACTIVE || saga.status() == SagaStatus.STUCK;
    }
}
