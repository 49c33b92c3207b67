// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.MessageExpiredException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.details.Printable;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.NotYetReadableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a failure means for the circuit breaker of its message type. */
public sealed interface BreakerEffect {

    /**
     * Something that every message of the type needs is unavailable, so the next one would fail too: the type is paused at once.
     *
     * @param duration how long; {@code null} for the breaker's configured duration
     * @param reason for logs and listeners
     * @param lack what is unavailable, if messages cannot be read without it; {@code null} otherwise
     */
    record Pause(
            @Nullable Duration duration,
            String reason,
            @Nullable Lack lack) implements BreakerEffect {

        public Pause(@Nullable Duration duration, String reason) {
            this(duration, reason, null);
        }
    }

    /** The effects that do not pause the type by themselves. */
    enum Result implements BreakerEffect {
        /** Counts as a failed message. */
        FAILURE,
        /**
         * The handler ran, and the failure concerns this message alone: does not count as a failure of the type, and counts as a successful
         * probe.
         */
        ANSWER,
        /** The handler did not run, or its end says nothing about it: does not count, and another message must be the probe. */
        NOTHING
    }

    /** The effect of a failure. Depends on the failure only, whatever happens to the message. */
    static BreakerEffect of(Throwable failure) {
        if (failure instanceof ThrottledException throttled) {
            return new Pause(throttled.delay(), "a handler is throttled");
        }
        if (failure instanceof NotHandledException notHandled) {
            Lack lack = notHandled.lack();
            if (lack != null) {
                return new Pause(
                        notHandled.pause(),
                        "%s are away: %s".formatted(lack.cause(), Printable.text(notHandled.messageWithoutCode())),
                        lack);
            }
            return notHandled.isTrouble() ? paused(notHandled.pause(), failure) : Result.NOTHING;
        }
        if (failure instanceof PublishTimeoutException timeout) {
            return timeout.isInterrupted() ? Result.ANSWER : paused(null, failure);
        }
        if (failure instanceof ConnectionLostException) {
            return paused(null, failure);
        }
        if (failure instanceof MessageExpiredException expired) {
            Throwable before = expired.getCause();
            return before == null ? Result.NOTHING : of(before);
        }
        if (failure instanceof InvalidMessageException
                || failure instanceof UnknownSagaException
                || failure instanceof NotYetReadableException
                || failure instanceof SubjectErasedException) {
            return Result.NOTHING;
        }
        boolean ofThisMessage = failure instanceof PoisonMessageException || failure instanceof RetryLaterException;
        return ofThisMessage ? Result.ANSWER : Result.FAILURE;
    }

    private static Pause paused(@Nullable Duration duration, Throwable failure) {
        return new Pause(duration, String.valueOf(Printable.of(failure).getMessage()));
    }
}
