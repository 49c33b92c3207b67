// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Done;
import io.safebunny.dedup.claim.Claimed.LaneMoved;
import io.safebunny.dedup.claim.Claimed.Parked;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.node.Node;
import io.safebunny.order.lane.Lane;
import io.safebunny.order.lane.Lane.State;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneSlot;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets a message be claimed if it is its turn among the messages with its order key, and parks it in the store otherwise. Thread-safe.
 *
 * <p>A free lane is not locked: a consumer begins a message only when those of its key before it have ended, so that two consumers, one of
 * them frozen in between, run along the same messages, and the records decide each. What the version of the lane excludes is that a
 * message is parked in a lane that is freed at the same time.
 */
public final class LaneGate {

    private static final int MOST_TRIES = 5;
    private static final Duration CHANGED = Duration.ofMillis(200);
    private static final Duration FULL = Duration.ofSeconds(1);

    private final MessageStore store;
    private final Ownership ownership;
    private final StoreFailures failures;

    public LaneGate(Node node, Ownership ownership, StoreFailures failures) {
        this.store = node.requireStore();
        this.ownership = ownership;
        this.failures = failures;
    }

    /**
     * @param handling with a turn
     * @param claims claims a message whose turn it is
     */
    public Claimed claim(Handling handling, Function<Handling, Claimed> claims) {
        LaneTurn turn = Objects.requireNonNull(handling.turn());
        if (turn.isStored()) { // who handles it from the store has looked
            return claims.apply(handling);
        }
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Claimed claimed = tryOnce(handling, turn, claims);
            if (!(claimed instanceof LaneMoved)) {
                return claimed;
            }
        }
        return new Busy(NotHandledException.later(
                "The lane of message %s was changed by others %s times in a row"
                        .formatted(handling.message().id(), MOST_TRIES),
                CHANGED));
    }

    private Claimed tryOnce(Handling handling, LaneTurn turn, Function<Handling, Claimed> claims) {
        MessageRecord found;
        Lane lane;
        try {
            found = store.find(turn.lane());
            lane = LaneDocument.read(found);
        } catch (RuntimeException e) {
            return failures.claimed(handling.message().id(), () -> {
                throw failures.unread(handling.message().id(), e);
            });
        }
        if (lane.isFree()) {
            turn.found(found);
            return claims.apply(handling);
        }
        if (isHeldHead(handling.message(), lane)) {
            turn.isHead();
            return claims.apply(handling);
        }
        Claimed blocked = failures.claimed(
                handling.message().id(), () -> blocked(handling, turn, Objects.requireNonNull(found), lane));
        return blocked instanceof Done
                ? claims.apply(handling)
                : blocked; // which tells of it, and sends what is unsent
    }

    /** A copy of it is moved back from the poison queue. Which version of it is compared by the claim. */
    private static boolean isHeldHead(Envelope message, Lane lane) {
        return lane.state() == State.HELD
                && message.poisonVersion() > 0
                && message.id().equals(lane.head());
    }

    /** @return done if the claim decides, without the lane */
    private Claimed blocked(Handling handling, LaneTurn turn, MessageRecord found, Lane lane) {
        MessageRecord stored = store.find(handling.key());
        if (stored != null) {
            RecordRules.requireSameMessage(handling.message(), stored);
            if (RecordRules.isStored(stored)) {
                return new Parked();
            }
            switch (stored.state()) {
                case COMPLETED, DISPATCHED, UNDONE -> {
                    return new Done(stored);
                }
                case POISONED -> {
                    if (handling.message().poisonVersion() != stored.version()) {
                        return new Done(stored);
                    }
                }
                case CLAIMED -> {
                    Duration remaining = ownership.remaining(stored);
                    if (remaining.toNanos() > 0) {
                        return ownership.busy(handling, remaining);
                    }
                }
                case RELEASED, PARKED -> {}
            }
        }
        if (handling.message().id().equals(lane.head())) { // its lane goes on first; a message has one place in it
            return ownership.busy(handling, FULL);
        }
        return lane.isFull()
                ? new Busy(NotHandledException.later(
                        "%s messages with the order key of message %s wait for one that has failed"
                                .formatted(lane.parked(), handling.message().id()),
                        FULL))
                : park(handling, turn, found, lane, stored);
    }

    private Claimed park(
            Handling handling, LaneTurn turn, MessageRecord found, Lane lane, @Nullable MessageRecord stored) {
        MessageRecord claim = ownership.fresh(handling);
        MessageRecord record = turn.with(
                stored == null ? claim : RecordRules.claimed(stored, claim.withAttempt(attempt(stored, claim))),
                RecordState.PARKED);
        MessageRecord slot = null;
        JointWrite result = together(turn, record, found, slot);
        if (result instanceof JointWrite.Overtaken by
                && by.key().equals(LaneSlot.key(turn.lane(), lane.next()))) { // left over from a lane that has expired
            slot = store.find(by.key());
            result = together(turn, record, found, slot);
        }
        if (result instanceof JointWrite.Written) {
            turn.isWritten();
            return new Parked();
        }
        return new LaneMoved();
    }

    private static int attempt(MessageRecord stored, MessageRecord claim) {
        return stored.state() == RecordState.POISONED ? 0 : Math.max(stored.attempt(), claim.attempt());
    }

    private JointWrite together(
            LaneTurn turn, MessageRecord record, MessageRecord found, @Nullable MessageRecord slot) {
        List<MessageRecord> all = new ArrayList<>();
        all.add(record);
        all.addAll(turn.parked(found, slot, record.owner()));
        return store.writeTogether(all);
    }
}
