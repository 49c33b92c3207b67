// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.safebunny.BunnyCircuitBreaker.Failure;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.details.Printable;
import io.safebunny.failure.policy.Lack;
import io.safebunny.message.Names;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a breaker's status shows in addition to its state: since when, until when, and why. Guarded by the breaker's lock. */
final class StatusDetails {

    private static final int LONGEST_TEXT = 500;
    /**
     * Keys or bodies that are away again within this time have not come back in between: messages under data keys that are remembered, or whose
     * bodies another store has, are read all the time.
     */
    private static final Duration BETWEEN_OUTAGES = Duration.ofMinutes(1);

    /**
     * Why a type is held: an operator paused it, or it has not started.
     *
     * @param pause {@code null} if the type has not started
     */
    record Hold(String reason, @Nullable Pause pause) {}

    private final String type;
    private final ExceptionDetails details;
    private final Timeline timeline;

    private Instant since;
    private @Nullable String reason;
    private @Nullable Instant triesAt;
    private @Nullable Float openedAt;
    private @Nullable Failure lastFailure;
    /** What it is paused for lack of. */
    private @Nullable Lack lack;

    private @Nullable Instant lackingSince;
    /** The last time of that, and its end; {@code null} for none. */
    private @Nullable Lack lacked;

    private Instant wasLackingSince = Instant.MIN;
    private Instant backAt = Instant.MIN;

    StatusDetails(String type, ExceptionDetails details, Timeline timeline) {
        this.type = type;
        this.details = details;
        this.timeline = timeline;
        this.since = timeline.now();
    }

    String type() {
        return type;
    }

    @Nullable
    String reason() {
        return reason;
    }

    void because(String why) {
        reason = Printable.text(why); // made printable, because a handler's text may quote a message
    }

    /** Call when the state that others see has changed. */
    void hasChanged() {
        since = timeline.now();
    }

    void opens(Duration left) {
        triesAt = timeline.now().plus(left);
    }

    /** @param percent failure rate at which it opens; {@code null} if it opens for another reason */
    void opensAt(@Nullable Float percent) {
        openedAt = percent;
    }

    /** @param missing for lack of what it opens; {@code null} if it opens for another reason */
    void opensFor(@Nullable Lack missing) {
        if (missing == null) {
            lackingSince = null;
        } else if (missing != lack) {
            Instant now = timeline.now();
            boolean goesOn = missing == lacked && backAt.plus(BETWEEN_OUTAGES).isAfter(now);
            lackingSince = goesOn ? wasLackingSince : now;
        }
        lack = missing;
    }

    @Nullable
    Lack lack() {
        return lack;
    }

    void failed(Failure seen) {
        lastFailure = seen;
    }

    /** Forgets earlier failures. */
    void closes() {
        lastFailure = null;
        if (lack != null && lackingSince != null) {
            lacked = lack;
            wasLackingSince = lackingSince;
            backAt = timeline.now();
            opensFor(null);
        }
    }

    /** The part of a failure that may be shown. Call it without the lock, because it calls the exception's own code. */
    Failure seen(Throwable failure) {
        String text = details.text(failure);
        return new Failure(
                failure.getClass().getName(),
                text == null ? null : Names.printable(text, LONGEST_TEXT),
                timeline.now());
    }

    /**
     * @param state of the breaker itself
     * @param held takes precedence over the state; {@code null} if the type is not held
     * @param percent current failure rate
     */
    Status status(State state, @Nullable Hold held, @Nullable Float percent) {
        boolean open = state == State.OPEN;
        Instant until = open ? triesAt : null;
        Pause pause = held == null ? null : held.pause();
        if (pause != null && (until == null || until.isBefore(pause.until()))) {
            until = pause.until();
        }
        return new Status(
                type,
                held == null ? state : State.OPEN,
                since,
                until,
                held == null || open ? reason : Printable.text(held.reason()),
                state == State.CLOSED ? percent : openedAt,
                lastFailure,
                pause,
                lack == Lack.KEYS ? lackingSince : null,
                lack == Lack.BODIES ? lackingSince : null);
    }
}
