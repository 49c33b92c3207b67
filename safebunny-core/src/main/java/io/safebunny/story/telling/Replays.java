// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.poison.wanted.Wish;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Step;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Repaired;
import io.safebunny.saga.document.SagaHistory.SentStep;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.store.record.Trail;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.exchange.Awaiting;
import io.safebunny.story.exchange.HandMoves;
import io.safebunny.story.exchange.HandMoves.Move;
import io.safebunny.story.exchange.OwnMessages;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
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
            "The saga with its correlation id has ended: if this message is handled again, it may do what nobody waits for any more.";
    private static final String LEFT_OVER =
            "It is left over: its saga has ended. Discard it if nobody has, and do not replay it.";
    private static final String IGNORED =
            "It is left over: its saga has failed, and takes no more messages. Discard it if nobody has: a replay does nothing.";
    private static final String UNDOING =
            "The saga with its correlation id has failed, and wants its steps undone: if this message is handled again, it may do what nobody waits for any more.";

    private final List<Saga> sagas = new ArrayList<>();
    /** Of the sagas. */
    private final IdentityHashMap<Saga, String> nodes = new IdentityHashMap<>();

    private final HandMoves moves;

    Replays(List<NodeStory> parts) {
        this.moves = new HandMoves(parts);
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
        } else if (wishes.contains(Wish.SKIPPED) || (commands.isEmpty() && isOfSkippedType(concerned, message))) {
            return SKIPPED;
        } else if (concerned.isEmpty()) {
            return null;
        } else if (concerned.stream().allMatch(saga -> saga.status().isEnded())) {
            return isLeftOver(message) ? LEFT_OVER : ENDED;
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
                        .anyMatch(saga -> isOfStep(saga, message)
                                ? saga.status() == SagaStatus.FAILED
                                : Awaiting.isForSagas(message.type()) || hasMissed(saga, message))
                : isIgnored(concerned, message);
    }

    /** Whether it was for sagas that have failed, and undo their steps now: they take no message but for that. */
    private boolean isIgnored(List<Saga> concerned, Message message) {
        return concerned.stream()
                        .noneMatch(saga -> takesMessages(saga)
                                || isOfStep(saga, message)
                                || hasSent(saga, message.type())) // to a node that may handle it all the same
                && !Awaiting.isForSagas(message.type())
                && concerned.stream().anyMatch(saga -> !saga.status().isEnded() && hasMissedAtItsNode(saga, message));
    }

    private boolean hasMissedAtItsNode(Saga saga, Message message) {
        return saga.history().stream()
                .map(Happening::of)
                .anyMatch(event -> event instanceof SetAside aside
                        && aside.message().messageId().equals(message.id())
                        && aside.message().node().equals(nodes.get(saga)));
    }

    private static boolean isOfStep(Saga saga, Message message) {
        return saga.steps().stream()
                .anyMatch(step -> step.messageId().equals(message.id())
                        || step.type().equals(message.type())
                        || message.type().equals(step.undo()));
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

    private boolean isIdleOnceResumed(NodeStory part, Message message, Words words, Receivers receivers) {
        return sagasOf(message).stream()
                .filter(saga -> isStuckOn(saga, message))
                .anyMatch(saga -> new Outlook(part, saga, words, receivers).isIdleOnceResumed());
    }

    private static boolean isStuckOn(Saga saga, Message message) {
        StuckOn on = saga.stuckOn();
        return saga.status() == SagaStatus.STUCK && on != null && on.messageId().equals(message.id());
    }

    /**
     * How often somebody has replayed it, as far as its record reaches: after an attempt that was to be the last there is another one only
     * then, unless its saga has sent it again.
     */
    int replayed(Message message) {
        long last = setAside(message);
        for (Saga saga : sagasOf(message)) {
            if (isOfStep(saga, message)) {
                last = OwnMessages.isHistoryWhole(saga) ? last - sentAgain(saga) : 0;
            }
        }
        return (int) Math.max(0, last);
    }

    /** How often it was set aside before it was handled again, as far as its record reaches. */
    private static long setAside(Message message) {
        List<Failure> failures = message.failures();
        boolean isGivenUp = message.state() == State.SET_ASIDE || message.state() == State.UNDONE;
        long last = IntStream.range(0, failures.size())
                .filter(i -> failures.get(i).nextAt() == null)
                .filter(i -> i + 1 == failures.size()
                        || !Words.isExpiry(failures.get(i + 1))) // then it was not set aside yet
                .count();
        if (isGivenUp
                && !failures.isEmpty()
                && failures.get(failures.size() - 1).nextAt() == null) {
            last--;
        }
        return last;
    }

    /**
     * What was set aside, and handled because its saga had sent it again, which leaves the copy where it is; a replay takes it away. At most one
     * sentence.
     */
    List<String> leftCopies(NodeStory part, Advice advice) {
        List<Message> left = part.messages().stream()
                .filter(this::leavesCopy)
                .filter(message -> moves.discarded(part.node(), message) == null)
                .toList();
        left.stream().map(Message::correlationId).distinct().forEach(id -> advice.discardDone(part.node(), id));
        return left.isEmpty()
                ? List.of()
                : List.of(
                        "What %s had set aside of it before it was sent again and handled (%s) may still lie in its poison queue: discard it if nobody has."
                                .formatted(
                                        Words.text(part.node()),
                                        Words.counted(left, message -> Words.type(message.type()))));
    }

    private boolean leavesCopy(Message message) {
        return (message.state() == State.HANDLED || message.state() == State.UNSENT)
                && sagasOf(message).stream().anyMatch(saga -> isOfStep(saga, message))
                && setAside(message) > replayed(message);
    }

    /** That its copy was discarded, and by whom and why as far as that is told; {@code null} if that is not known. */
    @Nullable
    String discarded(NodeStory part, Message message, Words words, Receivers receivers) {
        Move move = moves.discarded(part.node(), message);
        return move == null ? null : "discarded" + told(move, words, receivers);
    }

    private static String told(Move move, Words words, Receivers receivers) {
        Moved moved = move.moved();
        String by = moved.by();
        String reason = moved.reason();
        String withheld = reason == null ? receivers.withheld(move.part()) : "";
        return " at %s%s%s%s"
                .formatted(
                        words.at(moved.at()),
                        by == null ? "" : " by " + Words.text(by),
                        reason == null ? "" : " (" + Words.quoted(reason) + ')',
                        withheld.isEmpty() ? "" : " (%s who and why)".formatted(withheld));
    }

    /** That somebody has replayed it, and what came of that; at most one sentence. */
    List<String> sentences(NodeStory part, Message message, Words words, Receivers receivers) {
        Move move = moves.replayed(part.node(), message);
        int times = Math.max(replayed(message), move == null ? 0 : 1);
        if (times == 0) {
            return List.of();
        }
        String replayed = "By hand, somebody has replayed %s %s%s%s"
                .formatted(
                        Words.message(message.type(), message.id()),
                        message.failures().size() < Trail.MOST_FAILURES ? "" : "at least ",
                        Words.times(times),
                        move == null ? "" : (times == 1 ? "," : ", the last time") + told(move, words, receivers));
        if (message.state() != State.SET_ASIDE) {
            return List.of("%s, and %s has handled it.".formatted(replayed, Words.text(part.node())));
        }
        List<Failure> failures = message.failures();
        Failure last = failures.isEmpty() ? null : failures.get(failures.size() - 1);
        if (last == null || (move != null && last.at().isBefore(move.moved().at()))) {
            return List.of("%s: its record does not tell yet what has come of that.".formatted(replayed));
        }
        return List.of("%s, and it failed again, at %s.%s"
                .formatted(
                        replayed,
                        words.at(last.at()),
                        isStuckOn(message)
                                ? " Replay it again only once the cause is mended; if that cannot be, %s."
                                        .formatted(
                                                isIdleOnceResumed(part, message, words, receivers)
                                                        ? "fail the saga: resumed without it, the saga would wait for nothing"
                                                        : "resume the saga without it, or fail it")
                                : ""));
    }

    private static long sentAgain(Saga saga) {
        return saga.history().stream()
                .map(Happening::of)
                .filter(event -> event instanceof Repaired repaired
                        && (repaired.action() == Action.RETRY || repaired.action() == Action.RESUME))
                .count();
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
