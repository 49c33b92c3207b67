// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Pauses message types on this instance: while the breaker of a type is open, none of its messages is handled here. They wait in
 * their queue; other types go on, and connections stay open. After the pause a few messages are handled one by one; if they
 * succeed, the breaker closes, otherwise it opens again. Thread-safe; can be injected into any bean.
 *
 * <p>It also opens automatically: when too many messages of the type fail, when a handler throws {@link ThrottledException}, when
 * the store does not answer, or when publications are not confirmed. That never shortens a longer pause.
 *
 * <p>With a store, messages older than {@code safebunny.dedup.retention} at the end of a pause are set aside unhandled ({@code
 * too-old}).
 */
public interface BunnyCircuitBreaker {

    /** State of one type. */
    enum State {
        /** Messages are handled. */
        CLOSED,
        /** A few messages are handled, one by one, to see whether they succeed. */
        HALF_OPEN,
        /** No message is handled. */
        OPEN
    }

    /**
     * A change of state, passed to listeners and published as an application event.
     *
     * @param type message type name
     * @param reason explanation for humans: one line, never empty
     */
    record Change(String type, State from, State to, String reason, Instant occurredAt) implements SafeBunnyEvent {
        public Change {
            reason = Printable.text(reason);
        }
    }

    /**
     * Status of one breaker, as health, the endpoint and (by {@link #toString}) the log show it. Immutable; times are by this
     * instance's clock.
     *
     * @param since when it entered this state
     * @param until earliest time at which the next message is handled; {@code null} unless open; also {@code null} if the node started
     *     without consuming and nobody has resumed the type yet
     * @param reason of the last change, as in {@link Change}; {@code null} if there was none
     * @param failureRate percentage of recent messages that failed: the current rate while closed, otherwise the rate at which it
     *     opened. {@code null} if it opened for another reason, or there were too few messages
     * @param lastFailure latest failure since the breaker was last closed, also one that does not count for the rate; {@code null} for none
     * @param pause an operator's pause that keeps it open; {@code null} for none
     * @param withoutKeysSince since when the type is paused, and tried every two seconds, because the keys of its encrypted messages are
     *     away; {@code null} if that is not why
     * @param withoutBodiesSince the same, because the store that has the bodies of its messages is away
     */
    record Status(
            String type,
            State state,
            Instant since,
            @Nullable Instant until,
            @Nullable String reason,
            @Nullable Float failureRate,
            @Nullable Failure lastFailure,
            BunnyOperations.@Nullable Pause pause,
            @Nullable Instant withoutKeysSince,
            @Nullable Instant withoutBodiesSince) {

        /** Not for lack of keys or bodies. */
        public Status(
                String type,
                State state,
                Instant since,
                @Nullable Instant until,
                @Nullable String reason,
                @Nullable Float failureRate,
                @Nullable Failure lastFailure,
                BunnyOperations.@Nullable Pause pause) {
            this(type, state, since, until, reason, failureRate, lastFailure, pause, null, null);
        }

        /** Since when it is paused for lack of keys or bodies; {@code null} if that is not why. */
        public @Nullable Instant lackingSince() {
            return withoutKeysSince == null ? withoutBodiesSince : withoutKeysSince;
        }

        /** One log line. */
        @Override
        public String toString() {
            return state
                    + (until == null ? "" : " until " + until)
                    + (reason == null ? "" : " (" + reason + ")")
                    + (state == State.CLOSED || lastFailure == null ? "" : "; the last failure was " + lastFailure);
        }
    }

    /**
     * A failure of a message. Immutable.
     *
     * @param type its class
     * @param text its message, shortened and without control characters; {@code null} if it has none, or if {@code
     *     safebunny.poison.exception-details} is {@code type-only}
     */
    record Failure(String type, @Nullable String text, Instant at) {

        @Override
        public String toString() {
            return text == null ? type : type + ": " + text;
        }
    }

    /** Called for every change, one at a time, on a thread that may block. */
    @FunctionalInterface
    interface Listener {
        void changed(Change change);
    }

    /**
     * Opens the breakers of all types.
     *
     * @param duration 1 ms to 365 days, from now on; replaces what is left of an earlier pause
     * @throws MisuseException SB-5001 if the duration is out of range; SB-5002 if the node has no handler or has not started
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
     * Closes the breakers of all types immediately, without probing.
     *
     * @throws MisuseException SB-5002 before the node has started and when it has no handler
     */
    void close();

    /** @throws MisuseException SB-5002 when no handler takes the type, or the node has not started */
    void close(Class<?> type);

    /** @throws MisuseException SB-5002 when no handler takes the type, or the node has not started */
    State state(Class<?> type);

    /** By message type name; empty before the node has started. */
    Map<String, Status> statuses();

    /** The states from {@link #statuses}. */
    default Map<String, State> states() {
        Map<String, State> states = new TreeMap<>();
        statuses().forEach((type, status) -> states.put(type, status.state()));
        return states;
    }

    /** Adds a listener for future changes; exceptions it throws are logged. */
    void addListener(Listener listener);
}
