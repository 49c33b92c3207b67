// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.failure.MessageExpiredException;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Repaired;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What people did with the copies of messages that were set aside: when, by whom and why, as far as the instances remember through which they
 * did it; how often it was replayed, as far as the record of a message tells. That somebody did nothing does not follow from it. Immutable.
 */
public final class HandMoves {

    private final List<NodeStory> parts;

    public HandMoves(List<NodeStory> parts) {
        this.parts = List.copyOf(parts);
    }

    /** @param part of the instance through which it was moved */
    public record Move(NodeStory part, Moved moved) {}

    // ---- what instances remember

    /** The replays that are known, the earliest first. */
    public List<Move> replays(String node, Message message) {
        return all(node, message).stream()
                .filter(move -> move.moved.kind() == Moved.Kind.REPLAYED)
                .toList();
    }

    /** The discards and restores that are known, the earliest first. */
    public List<Move> discardsAndRestores(String node, Message message) {
        return all(node, message).stream()
                .filter(move -> move.moved.kind() != Moved.Kind.REPLAYED)
                .toList();
    }

    /** Whether its latest copy is known to have been discarded, and not to have been restored. */
    public boolean isDiscarded(String node, Message message) {
        return discard(node, message).isPresent();
    }

    /** By which its latest copy was discarded; empty if that is not known, or it was restored since. */
    public Optional<Move> discard(String node, Message message) {
        return all(node, message).stream()
                .filter(move -> !move.moved.older())
                .reduce((earlier, later) -> later)
                .filter(last -> last.moved.kind() == Moved.Kind.DISCARDED && isSinceSetAside(last, message));
    }

    /** Whether it happened since the message was last set aside. */
    public static boolean isSinceSetAside(Move move, Message message) {
        return !move.moved.at().isBefore(setAside(message));
    }

    /** Whether the message failed since then: records have whole milliseconds, and a replay may fail within the one in which it began. */
    public static boolean isBefore(Move replay, Failure failure) {
        return !failure.at().isBefore(replay.moved.at().truncatedTo(ChronoUnit.MILLIS));
    }

    private List<Move> all(String node, Message message) {
        return parts.stream()
                .filter(part -> part.node().equals(node))
                .flatMap(part -> part.moved().stream().map(moved -> new Move(part, moved)))
                .filter(move -> move.moved.messageId().equals(message.id())
                        && move.moved.correlationId().equals(message.correlationId()))
                .sorted(Comparator.comparing(move -> move.moved.at()))
                .toList();
    }

    /** When it was last set aside, at the latest. */
    private static Instant setAside(Message message) {
        Instant changed = message.changedAt();
        return message.failures().stream()
                .map(Failure::at)
                .max(Comparator.naturalOrder())
                .orElse(message.state() == State.SET_ASIDE && changed != null ? changed : Instant.MIN);
    }

    // ---- what records tell

    /**
     * How often somebody has replayed it, as far as its record reaches: after an attempt that was to be the last there is another one only
     * then, unless its saga has sent it again.
     */
    public int replayed(Message message) {
        long last = timesSetAside(message);
        for (NodeStory part : parts) {
            for (Saga saga : part.sagas()) {
                if (isOfStep(saga, message)) {
                    last = OwnMessages.isHistoryWhole(saga) ? last - sentAgain(saga) : 0;
                }
            }
        }
        return (int) Math.max(0, last);
    }

    /** Whether a saga has sent it again, which leaves the copy where it is; a replay takes it away. */
    public boolean leavesCopy(Message message) {
        return (message.state() == State.HANDLED || message.state() == State.UNSENT)
                && parts.stream().flatMap(part -> part.sagas().stream()).anyMatch(saga -> isOfStep(saga, message))
                && timesSetAside(message) > replayed(message);
    }

    /** Whether it is the command or the undo of a step, at least by its type. */
    public static boolean isOfStep(Saga saga, Message message) {
        return saga.id().equals(message.correlationId())
                && saga.steps().stream()
                        .anyMatch(step -> step.messageId().equals(message.id())
                                || step.type().equals(message.type())
                                || message.type().equals(step.undo()));
    }

    /** How often it was set aside before it was handled again, as far as its record reaches. */
    private static long timesSetAside(Message message) {
        List<Failure> failures = message.failures();
        boolean isGivenUp = message.state() == State.SET_ASIDE || message.state() == State.UNDONE;
        long last = IntStream.range(0, failures.size())
                .filter(i -> failures.get(i).nextAt() == null)
                .filter(i ->
                        i + 1 == failures.size() || !isVerdict(failures.get(i + 1))) // then it was not set aside yet
                .count();
        if (isGivenUp
                && !failures.isEmpty()
                && failures.get(failures.size() - 1).nextAt() == null) {
            last--;
        }
        return last;
    }

    /** Whether this is no failed attempt, but tells that the message had expired. */
    public static boolean isExpiry(Failure failure) {
        return failure.exception().equals(MessageExpiredException.class.getName());
    }

    /** Whether this is no failed attempt, but tells that the message's person was erased. */
    public static boolean isErasure(String exception) {
        return exception.equals(SubjectErasedException.class.getName());
    }

    /** Whether this is no failed attempt, but tells why there is none any more. */
    public static boolean isVerdict(Failure failure) {
        return isExpiry(failure) || isErasure(failure.exception());
    }

    private static long sentAgain(Saga saga) {
        return saga.history().stream()
                .map(Happening::of)
                .filter(event -> event instanceof Repaired repaired
                        && (repaired.action() == Action.RETRY || repaired.action() == Action.RESUME))
                .count();
    }
}
