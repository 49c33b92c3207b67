// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.safebunny.BunnyCircuitBreaker.Failure;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.failure.Printable;
import io.safebunny.message.Names;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What is told of a breaker: since when it is as it is, until when, and why. Used under the lock of its breaker. */
final class Told {

    private static final int LONGEST_TEXT = 500;

    /** @param pause {@code null} for what has not started yet */
    record Hold(String reason, @Nullable Pause pause) {}

    private final String type;
    private final ExceptionDetails details;
    private final Timeline timeline;

    private Instant since;
    private @Nullable String reason;
    private @Nullable Instant triesAt;
    private @Nullable Float openedAt;
    private @Nullable Failure lastFailure;

    Told(String type, ExceptionDetails details, Timeline timeline) {
        this.type = type;
        this.details = details;
        this.timeline = timeline;
        this.since = timeline.now();
    }

    @Nullable
    String reason() {
        return reason;
    }

    void because(String why) {
        reason = Printable.text(why); // handlers may quote a message in it
    }

    /** To others it is something else from now on. */
    void hasChanged() {
        since = timeline.now();
    }

    void opens(Duration left) {
        triesAt = timeline.now().plus(left);
    }

    /** @param percent that failed; {@code null} for another reason to open */
    void opensAt(@Nullable Float percent) {
        openedAt = percent;
    }

    void failed(Failure seen) {
        lastFailure = seen;
    }

    /** Earlier failures are over. */
    void closes() {
        lastFailure = null;
    }

    /** What may be shown of it; reads a foreign text, so it is called without the lock. */
    Failure seen(Throwable failure) {
        String text = details == ExceptionDetails.FULL ? Printable.of(failure).getMessage() : null;
        return new Failure(
                failure.getClass().getName(),
                text == null ? null : Names.printable(text, LONGEST_TEXT),
                timeline.now());
    }

    /**
     * @param state of the breaker itself
     * @param held whatever the breaker says; {@code null} when it decides
     * @param percent that fails now
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
                pause);
    }
}
