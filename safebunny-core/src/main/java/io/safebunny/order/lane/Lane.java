// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.lane;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one order key and type that are stored, in their order: the head, which has been tried, and behind it those that are
 * parked in numbered slots. The message whose turn it is, is the head, or the one in the first slot if there is no head. Immutable.
 *
 * @param head id of the message that all others wait for; {@code null} if the lane is free, or if the first slot is next
 * @param first number of the first slot that is still to run
 * @param next number of the slot in which the next message is parked
 * @param since since when messages have waited, or, of a lane that is held, since when the head is set aside; {@code null} for a free lane
 * @param due when the lane must be looked at; {@code null} if nothing moves it but an operator, and for a free lane
 */
public record Lane(
        State state,
        @Nullable String head,
        long first,
        long next,
        @Nullable Instant since,
        @Nullable Instant due) {

    /** How many messages may be parked behind one that waits. */
    public static final int MOST_PARKED = 1_000;

    /** Of which nothing is stored. */
    public static final Lane UNUSED = free(0);

    /** What becomes of a message that is delivered, and of those that are parked. */
    public enum State {
        /** Nothing waits: a delivered message is handled. */
        FREE,
        /** The head waits for its next attempt: a delivered message is parked. */
        WAITING,
        /** An instance handles what is stored, one message after the other: a delivered message is parked behind them. */
        DRAINING,
        /** The head was set aside: a delivered message is parked until an operator has decided on the head. */
        HELD
    }

    public Lane {
        boolean isEmpty = head == null && first == next;
        boolean isSound =
                switch (state) {
                    case FREE -> isEmpty && since == null && due == null;
                    case WAITING -> head != null && since != null && due != null;
                    case DRAINING -> !isEmpty && since != null && due != null;
                    case HELD -> head != null && since != null && due == null;
                };
        if (!isSound || first < 0 || next < first || next - first > MOST_PARKED) {
            throw new IllegalArgumentException(
                    "A lane cannot be %s with head %s and slots %s to %s".formatted(state, head, first, next));
        }
    }

    /** @param next number of its next slot; numbers are not used twice */
    static Lane free(long next) {
        return new Lane(State.FREE, null, next, next, null, null);
    }

    public boolean isFree() {
        return state == State.FREE;
    }

    /** Whether no further message may be parked. */
    public boolean isFull() {
        return next - first >= MOST_PARKED;
    }

    /** Messages behind the head. */
    public int parked() {
        return (int) (next - first);
    }
}
