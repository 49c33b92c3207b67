// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.Printable;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.message.InvalidMessageException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a failure tells about its message type, for the breaker of that type. Closed. */
public sealed interface BreakerEffect {

    /**
     * What every message of the type needs is missing, and the next one would fare no better: the type is paused at once.
     *
     * @param duration how long; {@code null} for as long as the breaker is configured to
     * @param reason for logs and listeners
     */
    record Pause(@Nullable Duration duration, String reason) implements BreakerEffect {}

    /** What else a failure may tell. */
    enum Result implements BreakerEffect {
        /** One message more has failed. */
        FAILURE,
        /** The handler ran and spoke of this message alone: no failure of the type, and good enough for a probe. */
        ANSWER,
        /** The handler was not run, or not for what it does: no failure, and another message has to be the probe. */
        NOTHING
    }

    /** Depends on the failure alone, whatever becomes of its message. */
    static BreakerEffect of(Throwable failure) {
        if (failure instanceof ThrottledException throttled) {
            return new Pause(throttled.delay(), "a handler is throttled");
        }
        if (failure instanceof NotHandledException notHandled) {
            return notHandled.isTrouble() ? paused(notHandled.pause(), failure) : Result.NOTHING;
        }
        if (failure instanceof PublishTimeoutException timeout) {
            return timeout.isInterrupted() ? Result.ANSWER : paused(null, failure);
        }
        if (failure instanceof ConnectionLostException) {
            return paused(null, failure);
        }
        if (failure instanceof InvalidMessageException) {
            return Result.NOTHING;
        }
        boolean ofThisMessage = failure instanceof PoisonMessageException || failure instanceof RetryLaterException;
        return ofThisMessage ? Result.ANSWER : Result.FAILURE;
    }

    private static Pause paused(@Nullable Duration duration, Throwable failure) {
        return new Pause(duration, String.valueOf(Printable.of(failure).getMessage()));
    }
}
