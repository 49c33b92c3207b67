// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.lane;

import io.safebunny.order.lane.Lane.State;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an event does to a lane. Pure. */
public final class LaneRules {

    private LaneRules() {}

    /**
     * The message whose turn it is comes again later, and all others of the lane wait for it. In a free lane it is a message that was
     * delivered.
     */
    public static Lane waits(Lane lane, String message, Instant now, Instant due) {
        return headed(State.WAITING, lane, message, Objects.requireNonNullElse(lane.since(), now), due);
    }

    /** The message whose turn it is was set aside, and all others of the lane wait until somebody decides on it. */
    public static Lane holds(Lane lane, String message, Instant now) {
        return headed(State.HELD, lane, message, now, null);
    }

    private static Lane headed(State state, Lane lane, String message, Instant since, @Nullable Instant due) {
        requireTurn(lane, message);
        boolean cameFromSlot = lane.head() == null && !lane.isFree();
        return new Lane(state, message, lane.first() + (cameFromSlot ? 1 : 0), lane.next(), since, due);
    }

    /**
     * A message is stored behind the others.
     *
     * @param lane neither free nor full
     */
    public static Lane parks(Lane lane) {
        if (lane.isFree() || lane.isFull()) {
            throw new IllegalStateException("Nothing can be parked in a lane that is free or full");
        }
        return new Lane(lane.state(), lane.head(), lane.first(), lane.next() + 1, lane.since(), lane.due());
    }

    /**
     * An instance begins to handle what is stored, or goes on.
     *
     * @param lane not free
     * @param due when another instance takes over, unless the lane has moved by then
     */
    public static Lane drains(Lane lane, Instant due) {
        return new Lane(State.DRAINING, lane.head(), lane.first(), lane.next(), lane.since(), due);
    }

    /**
     * The message whose turn it was has ended: it was handled, dropped or skipped.
     *
     * @param lane not free
     * @param due when another instance takes over, if there are more messages
     */
    public static Lane ends(Lane lane, String message, Instant due) {
        requireTurn(lane, message);
        if (lane.isFree()) {
            throw new IllegalStateException("Nothing ends in a free lane");
        }
        long first = lane.head() == null ? lane.first() + 1 : lane.first();
        return first == lane.next()
                ? Lane.free(lane.next())
                : new Lane(State.DRAINING, null, first, lane.next(), lane.since(), due);
    }

    private static void requireTurn(Lane lane, String message) {
        if (lane.head() != null && !lane.head().equals(message)) {
            throw new IllegalStateException("It is the turn of message %s, not of %s".formatted(lane.head(), message));
        }
    }
}
