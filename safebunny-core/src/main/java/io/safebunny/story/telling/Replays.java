// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.SentStep;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a message that was set aside may be handled again. In doubt it may not: a replay of what nobody wants any more, or of what
 * was done in another way, may have an effect twice. Immutable.
 */
final class Replays {

    private static final String SKIPPED =
            "Its step was skipped by an operator, as done by hand or not wanted: replayed, it would be done all the same.";
    private static final String ONE_SKIPPED =
            "One of the steps with this undo was skipped by an operator, and which of them it undoes is not known: replayed, it may be done all the same.";
    private static final String UNDONE =
            "The undo of its step is acknowledged already: replayed, it would be done once more.";
    private static final String REPLACED =
            "Its type is that of a step, but its saga has no such step with this message: it has forgotten it, or somebody else has sent the message. Replayed, it may be done twice.";
    private static final String ENDED =
            "The saga with its correlation id has ended: handled again, it may do what nobody waits for any more.";
    private static final String UNDOING =
            "The saga with its correlation id has failed, and wants its steps undone: handled again, it may do what nobody waits for any more.";

    private final List<Saga> sagas;

    Replays(List<Saga> sagas) {
        this.sagas = List.copyOf(sagas);
    }

    /** Why a message must not be handled again, in a sentence; {@code null} if nothing that is known speaks against it. */
    @Nullable
    String refusal(Message message) {
        List<Saga> concerned = sagasOf(message);
        List<Step> commands = steps(concerned, step -> step.messageId().equals(message.id()));
        List<Step> undos =
                commands.isEmpty() ? steps(concerned, step -> message.type().equals(step.undo())) : List.of();
        if (isAny(undos, StepStatus.SKIPPED) && undos.stream().anyMatch(step -> step.status() != StepStatus.SKIPPED)) {
            return ONE_SKIPPED;
        } else if (isAny(commands, StepStatus.SKIPPED)
                || isAny(undos, StepStatus.SKIPPED)
                || (commands.isEmpty() && isOfSkippedType(concerned, message))) {
            return SKIPPED;
        } else if (concerned.isEmpty()) {
            return null;
        } else if (concerned.stream().allMatch(saga -> saga.status().isEnded())) {
            return ENDED;
        } else if (isAny(undos, StepStatus.UNDOING)) {
            return null;
        } else if (isAny(undos, StepStatus.UNDONE)) {
            return UNDONE;
        } else if (commands.isEmpty() && concerned.stream().anyMatch(saga -> hasSent(saga, message.type()))) {
            return REPLACED;
        }
        List<Saga> wanting = commands.isEmpty()
                ? concerned
                : concerned.stream()
                        .filter(saga -> saga.steps().contains(commands.get(0)))
                        .toList();
        return wanting.stream().anyMatch(Replays::takesMessages) || SagaAdvice.isAcknowledgement(message.type())
                ? null
                : UNDOING;
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
