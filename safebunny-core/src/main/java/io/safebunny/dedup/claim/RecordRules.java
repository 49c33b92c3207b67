// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.RecordEffect;
import io.safebunny.failure.policy.PoisonRecord;
import io.safebunny.failure.policy.PoisonRecord.By;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import java.util.List;

/** What the record of a message says, and is to say next. Pure. */
public final class RecordRules {

    private RecordRules() {}

    /**
     * Whether the message is a replay of a copy that was set aside before its message was edited: what is stored is newer, and of another
     * body. One that is not a replay says nothing of its version, and cannot be told from another message.
     */
    static boolean isUnedited(Envelope message, MessageRecord stored) {
        return message.poisonVersion() > 0
                && message.poisonVersion() < stored.version()
                && !UndoFence.isUnseen(stored)
                && !stored.fingerprint().isOf(message);
    }

    /**
     * Detects two different messages with the same id: what is stored under the id can belong to only one of them. One of them may be what
     * the other was before it was edited in the poison queue.
     *
     * @throws InvalidMessageException the record belongs to another message
     */
    public static void requireSameMessage(Envelope message, MessageRecord stored) {
        if (!UndoFence.isUnseen(stored) && !stored.fingerprint().isOf(message)) {
            throw new InvalidMessageException(
                    PoisonReason.HANDLER_FAILED,
                    "Another message with a different type or body has the same id [message_id=%s, correlation_id=%s]. This one was neither fully handled nor suppressed as a duplicate. Ids must be unique: check the publisher, or its idempotency keys."
                            .formatted(message.id(), message.correlationId()));
        }
    }

    /** So that its poison copy has the version by which it can be replayed; not one from before its message was edited. */
    public static PoisonRecord poisonRecord(Envelope message, MessageRecord stored, By by) {
        boolean isOfMessage =
                stored.state() == RecordState.POISONED && stored.fingerprint().isOf(message);
        return new PoisonRecord(isOfMessage ? stored.version() : 0, by);
    }

    /** The claim as it is written where only the commit can make it last: the message is handled, and has published nothing. */
    static MessageRecord handled(MessageRecord claim) {
        return claim.completed(List.of()).withVersion(claim.version());
    }

    /**
     * The claim after a failure: whether the message comes again, and as which attempt.
     *
     * @param handling of this delivery, with its failures
     */
    public static MessageRecord released(MessageRecord claimed, Failed ending, Handling handling) {
        MessageRecord released = released(claimed, ending.record(), handling.trail());
        LaneTurn turn = handling.turn();
        return turn == null ? released : turn.kept(released, ending);
    }

    /** The same for a message that is handled whenever it comes. */
    public static MessageRecord released(MessageRecord claimed, RecordEffect effect, Trail trail) {
        MessageRecord released =
                switch (effect) {
                    case RELEASED -> claimed.next(RecordState.RELEASED); // perhaps its handler was not even begun
                    case ATTEMPT_FAILED ->
                        claimed.next(RecordState.RELEASED)
                                .withAttempt(claimed.attempt() + 1)
                                .withTakeovers(0);
                    case POISONED -> claimed.next(RecordState.POISONED).withTakeovers(0);
                };
        return released.withTrail(trail);
    }

    /** Another owner's claim. A message that is stored in its own record stays there until it has ended. */
    static MessageRecord claimed(MessageRecord stored, MessageRecord fresh) {
        MessageRecord claim = stored.claimedBy(fresh.owner(), fresh.lease(), fresh.attempt(), fresh.takeovers());
        return isStored(stored)
                ? claim.next(RecordState.CLAIMED, stored.outgoing()).withVersion(claim.version())
                : claim;
    }

    /** Whether its message is stored in it, to be handled from there. */
    public static boolean isStored(MessageRecord stored) {
        return switch (stored.state()) {
            case PARKED -> true;
            case CLAIMED, RELEASED ->
                stored.outgoing().size() == 1
                        && stored.key()
                                .messageId()
                                .equals(stored.outgoing().get(0).message().messageId());
            case COMPLETED, DISPATCHED, POISONED, UNDONE -> false;
        };
    }
}
