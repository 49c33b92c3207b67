// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.child;

import java.time.Duration;

/**
 * The fault that happens to a process, and where. Immutable.
 *
 * @param point name of the point, empty for no fault
 * @param occurrence 1 for the first time the point is reached
 * @param duration how far the clock jumps, or how long the store is down
 */
public record Plan(Action action, String point, int occurrence, Duration duration) {

    /** Nothing happens. */
    public static final Plan NONE = new Plan(Action.HALT, "", 1, Duration.ZERO);

    /** The kinds of faults. */
    public enum Action {
        /** The process halts without executing another instruction. */
        HALT,
        /** The process waits until the ledger lets it go on. */
        HOLD,
        /** The wall clock jumps. */
        JUMP,
        /** This and every other request to the store fails for a while; at a point after an operation, once that took effect. */
        OUTAGE,
        /** This one request to the store fails. */
        BLINK
    }

    public static Plan halt(Object point) {
        return new Plan(Action.HALT, point.toString(), 1, Duration.ZERO);
    }

    /** When the point is reached that often. */
    public static Plan halt(Object point, int occurrence) {
        return new Plan(Action.HALT, point.toString(), occurrence, Duration.ZERO);
    }

    public static Plan hold(Object point) {
        return new Plan(Action.HOLD, point.toString(), 1, Duration.ZERO);
    }

    public static Plan jump(Object point, Duration by) {
        return new Plan(Action.JUMP, point.toString(), 1, by);
    }

    public static Plan outage(Object point, Duration duration) {
        return new Plan(Action.OUTAGE, point.toString(), 1, duration);
    }

    public static Plan blink(Object point) {
        return new Plan(Action.BLINK, point.toString(), 1, Duration.ZERO);
    }

    /** When the point is reached that often. */
    public static Plan blink(Object point, int occurrence) {
        return new Plan(Action.BLINK, point.toString(), occurrence, Duration.ZERO);
    }

    public boolean happens() {
        return !point.isEmpty();
    }
}
