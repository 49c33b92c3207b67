// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.child;

import java.time.Duration;

/**
 * What happens to a process, and where.
 *
 * @param point its name, empty for nothing
 * @param occurrence 1: the first time it is reached
 * @param duration how far the clock jumps, or how long the store is down
 */
public record Plan(Action action, String point, int occurrence, Duration duration) {

    /** Nothing happens. */
    public static final Plan NONE = new Plan(Action.HALT, "", 1, Duration.ZERO);

    /** The kinds of trouble. */
    public enum Action {
        /** The process ends without another instruction. */
        HALT,
        /** The ledger decides when it goes on. */
        HOLD,
        /** The wall clock jumps. */
        JUMP,
        /** This and every other question to the store fails for a while; after the point: once it took effect. */
        OUTAGE,
        /** This one question to the store fails. */
        BLINK
    }

    public static Plan halt(Object point) {
        return new Plan(Action.HALT, point.toString(), 1, Duration.ZERO);
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

    public boolean happens() {
        return !point.isEmpty();
    }
}
