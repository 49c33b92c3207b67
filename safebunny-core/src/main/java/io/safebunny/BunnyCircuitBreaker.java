// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.MisuseException;
import java.time.Duration;
import java.util.Map;

/**
 * Pauses message types of this instance: while the breaker of a type is open none of its messages is handled here. They wait in
 * their queue, other types go on, connections stay. When the time is over a few messages are handled one by one; if they
 * succeed the breaker closes, else it opens again. Thread-safe; for injection into any bean.
 *
 * <p>It also opens by itself: when too many messages of the type fail, when a handler throws {@link ThrottledException}, when the
 * store does not answer or publications are not confirmed. A longer pause is never shortened that way.
 *
 * <p>With a store, what is older than {@code safebunny.dedup.retention} when a pause ends is set aside unhandled ({@code too-old}).
 */
public interface BunnyCircuitBreaker {

    /** State of one type. */
    enum State {
        /** Messages are handled. */
        CLOSED,
        /** A few are handled, one by one, to see whether they succeed. */
        HALF_OPEN,
        /** None is handled. */
        OPEN
    }

    /**
     * One change, told to listeners and published as an application event.
     *
     * @param type message type name
     * @param reason for people; never empty
     */
    record Change(String type, State from, State to, String reason) {}

    /** Told of every change, one after the other, on a thread that may block. */
    @FunctionalInterface
    interface Listener {
        void changed(Change change);
    }

    /**
     * Opens the breakers of all types.
     *
     * @param duration 1 ms to 365 days, from now on; replaces what is left of an earlier pause
     * @throws MisuseException SB-5001 when the duration is out of range, SB-5002 before the node has started and when it has no
     *     handler
     */
    void open(Duration duration);

    /**
     * @param type payload class of a handler of this node
     * @param duration 1 ms to 365 days, from now on; replaces what is left of an earlier pause
     * @throws MisuseException SB-5001 when the duration is out of range, SB-5002 when no handler takes the type, or the node has
     *     not started
     */
    void open(Class<?> type, Duration duration);

    /**
     * Closes the breakers of all types at once, without probing.
     *
     * @throws MisuseException SB-5002 before the node has started and when it has no handler
     */
    void close();

    /** @throws MisuseException SB-5002 when no handler takes the type, or the node has not started */
    void close(Class<?> type);

    /** @throws MisuseException SB-5002 when no handler takes the type, or the node has not started */
    State state(Class<?> type);

    /** By message type name; empty before the node has started. */
    Map<String, State> states();

    /** Changes from now on are told; what it throws is logged. */
    void addListener(Listener listener);
}
