// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.lane;

import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Retried;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The turn of one message in its lane: what is written of the lane together with the message's record. Each of these writes is made of what is
 * read just before, and names its version, so that whoever is overtaken reads again. Confined to the thread that handles the message.
 */
public final class LaneTurn {

    private static final Duration FULL = Duration.ofSeconds(1);

    private final RecordKey lane;
    private final String messageId;
    private final OutboundMessage bytes;
    private final Terms terms;
    private boolean isStored;
    /** Whether the broker has it, too, and nobody goes on with the lane who is at it. */
    private boolean isDelivered;

    private @Nullable MessageRecord found;
    private boolean isSilent;
    private @Nullable Instant due;
    private boolean isWritten;

    /**
     * What all turns of a handler share.
     *
     * @param holds whether others wait for a message that was set aside
     * @param lease how long a lane that is being drained is left alone
     */
    public record Terms(boolean holds, Duration lease, Timeline timeline) {}

    /**
     * @param bytes the message, as it is kept in its record
     * @param isStored whether it is handled from the store
     */
    public LaneTurn(RecordKey lane, String messageId, OutboundMessage bytes, boolean isStored, Terms terms) {
        this.lane = lane;
        this.messageId = messageId;
        this.bytes = bytes;
        this.isStored = isStored;
        this.terms = terms;
    }

    public RecordKey lane() {
        return lane;
    }

    /** Whether the message is in its lane: the broker has forgotten it, or it is the head of which a copy came back. */
    public boolean isStored() {
        return isStored;
    }

    /** A copy of the message on which its lane waits has come from the poison queue: from now on it is as if it came from the store. */
    public void isHead() {
        isStored = true;
        isDelivered = true;
    }

    /** Whether a record with this key is written with the message's. */
    public boolean isOfLane(RecordKey key) {
        return key.equals(lane) || key.messageId().startsWith(lane.messageId() + ':');
    }

    // ---- before the claim

    /** @param stored the lane as it was found, in which this message may run; {@code null} if nothing is stored of it */
    public void found(@Nullable MessageRecord stored) {
        found = stored;
    }

    /** The lane, unchanged, as it is written with a claim where reading it decides nothing. */
    public MessageRecord touched(String owner) {
        return LaneDocument.write(lane, found, LaneDocument.read(found), owner);
    }

    /** The message in its record, in this state. */
    public MessageRecord with(MessageRecord record, RecordState state) {
        return record.next(state, List.of(bytes)).withVersion(record.version());
    }

    /**
     * The lane and the slot in which the message is parked.
     *
     * @param found the lane, neither free nor full
     * @param slot what is stored of its next slot, nearly always {@code null}
     */
    public List<MessageRecord> parked(@Nullable MessageRecord found, @Nullable MessageRecord slot, String owner) {
        Lane before = LaneDocument.read(found);
        return List.of(
                LaneDocument.write(lane, found, LaneRules.parks(before), owner),
                LaneSlot.filled(LaneSlot.key(lane, before.next()), slot, messageId, owner));
    }

    // ---- when it has ended

    /**
     * The record of the message after a failure. What is stored keeps its bytes, also if it is set aside: nobody delivers it again if its
     * poison copy is lost.
     */
    public MessageRecord kept(MessageRecord released, Failed ending) {
        if (ending instanceof Poisoned) {
            return isStored ? with(released, RecordState.POISONED) : released;
        }
        return ending instanceof Retried || isStored ? with(released, RecordState.PARKED) : released;
    }

    /**
     * What is written of the lane when the message is handled.
     *
     * @param stored reads what is stored, so that nobody changes it unnoticed until it is written
     */
    public List<MessageRecord> whenHandled(Function<RecordKey, @Nullable MessageRecord> stored, String owner) {
        if (!isStored) {
            return List.of(); // nothing waits for it, or it would not have run
        }
        return moved(stored, owner, before -> LaneRules.ends(before, messageId, whenNextIsDue()));
    }

    /**
     * What is written of the lane when the message is not handled. Nothing if that decides nothing: then the broker has the message.
     *
     * @throws NotHandledException the message cannot be stored, because too many are
     */
    public List<MessageRecord> whenFailed(
            Failed ending, Function<RecordKey, @Nullable MessageRecord> stored, String owner) {
        if (ending instanceof Poisoned) {
            if (isStored && !isDelivered) { // its lane goes on when its poison copy is sent, which nobody else would do
                Instant next = whenNextIsDue();
                return moved(stored, owner, before -> LaneRules.waits(before, messageId, now(), next));
            }
            if (terms.holds()) {
                return moved(stored, owner, before -> LaneRules.holds(before, messageId, now()));
            }
            return isStored
                    ? moved(stored, owner, before -> LaneRules.ends(before, messageId, whenNextIsDue()))
                    : List.of();
        }
        if (ending instanceof Returned && !isStored) {
            return List.of();
        }
        Duration after = ending instanceof Retried retried
                ? retried.after()
                : Objects.requireNonNullElse(((Returned) ending).after(), Duration.ZERO);
        Instant next = now().plus(after);
        List<MessageRecord> moved = moved(stored, owner, before -> LaneRules.waits(before, messageId, now(), next));
        return moved.isEmpty() ? parkedBehind(stored, owner) : moved;
    }

    /** It is not its turn any more, which only somebody can have decided who took it out of its lane. */
    private List<MessageRecord> parkedBehind(Function<RecordKey, @Nullable MessageRecord> stored, String owner) {
        MessageRecord record = stored.apply(lane);
        Lane before = LaneDocument.read(record);
        if (before.isFull()) {
            throw NotHandledException.later("The lane of message %s is full".formatted(messageId), FULL);
        }
        due = before.due();
        return parked(record, stored.apply(LaneSlot.key(lane, before.next())), owner);
    }

    /** @return empty if it is not the message's turn */
    private List<MessageRecord> moved(
            Function<RecordKey, @Nullable MessageRecord> stored, String owner, Function<Lane, Lane> move) {
        MessageRecord record = stored.apply(lane);
        Lane before = LaneDocument.read(record);
        if (before.isFree() == isStored) { // of a free lane, it is the first; otherwise it is in it
            return List.of();
        }
        MessageRecord slot = null;
        if (before.head() == null && !before.isFree()) {
            slot = stored.apply(LaneSlot.key(lane, before.first()));
            if (slot == null || !LaneSlot.message(slot).equals(messageId)) {
                return List.of();
            }
        } else if (before.head() != null && !before.head().equals(messageId)) {
            return List.of();
        }
        Lane after = move.apply(before);
        due = after.due();
        MessageRecord next = LaneDocument.write(lane, record, after, owner);
        return slot == null ? List.of(next) : List.of(next, LaneSlot.left(slot, owner));
    }

    private Instant whenNextIsDue() {
        return isDelivered ? now() : now().plus(terms.lease());
    }

    private Instant now() {
        return terms.timeline().now();
    }

    // ---- what is known of it afterwards

    /** The store has not answered, so that it is unknown what it says of the message and its lane. */
    public void isUnanswered() {
        isSilent = true;
    }

    /** Whether the message must keep its place in the queue, whatever its ending: what follows it would overtake it. */
    public boolean isUndecided() {
        return isSilent;
    }

    /** What was asked for last is stored. */
    public void isWritten() {
        isWritten = true;
    }

    /** Whether the store says what becomes of the message, so that the broker may forget it. */
    public boolean isKept() {
        return isWritten && !isSilent;
    }

    /** When its lane goes on; {@code null} if it does not, or is not changed. */
    public @Nullable Instant due() {
        return isWritten ? due : null;
    }
}
