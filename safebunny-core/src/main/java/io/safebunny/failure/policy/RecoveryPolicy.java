// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.failure.MessageExpiredException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.PublishException;
import io.safebunny.failure.UnpublishedException;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Retried;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.FailedAttempt.Age;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.NotYetReadableException;
import io.safebunny.message.PoisonReason;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides the consequences of a handler's failures. Pure. The handler runs at most (in-memory retries + 1) × (delayed retries + 1) times.
 *
 * @param inMemory retries that hold a place in the prefetch
 * @param delayed retries that leave the consumer
 * @param retryFor exceptions worth retrying; empty for all
 * @param noRetryFor exceptions not worth retrying; wins over {@code retryFor}
 */
public record RecoveryPolicy(
        RetryStrategy inMemory,
        RetryStrategy delayed,
        List<Class<? extends Throwable>> retryFor,
        List<Class<? extends Throwable>> noRetryFor) {

    public RecoveryPolicy {
        retryFor = List.copyOf(retryFor);
        noRetryFor = List.copyOf(noRetryFor);
    }

    public static RecoveryPolicy of(RetryStrategy inMemory, RetryStrategy delayed) {
        return new RecoveryPolicy(inMemory, delayed, List.of(), List.of());
    }

    /**
     * Decides whether the handler runs again at once, within its delivery.
     *
     * @param retries number of in-memory retries in this delivery so far
     * @return the wait before the handler runs again; {@code null} if the delivery is to end
     */
    public @Nullable Duration again(FailedAttempt failed, int retries) {
        boolean isWorthIt = failed.isOpen()
                && retries < inMemory.maxRetries()
                && delayOfReturn(failed.failure()) == null
                && !(failed.failure() instanceof InvalidMessageException)
                && !(failed.failure() instanceof MessageExpiredException)
                && !(failed.failure() instanceof SubjectErasedException)
                && isRetryable(failed.failure())
                && isRetryableNow(failed.failure());
        return isWorthIt ? inMemory.delay(retries, failed.random()) : null;
    }

    /**
     * Decides how a delivery ends: what a failure means for the message, its record and its type. Nothing else decides this, unless the broker
     * or the store refuses what was decided.
     */
    public Ending.Failed end(FailedAttempt failed) {
        Throwable failure = failed.failure();
        BreakerEffect breaker = BreakerEffect.of(failure);
        if (!failed.isOpen()) {
            return new Returned(null, failure, breaker);
        }
        if (failure instanceof MessageExpiredException) {
            return expired(failure, breaker);
        }
        if (failure instanceof SubjectErasedException) {
            return new Poisoned(PoisonReason.SHREDDED, failure, breaker, PoisonRecord.NONE);
        }
        Duration asked = asked(failure);
        if (asked != null && failed.age().isExceededIn(asked)) {
            return new Poisoned(
                    PoisonReason.HANDLER_FAILED, tooLate(asked, failed.age(), failure), breaker, PoisonRecord.NONE);
        }
        Duration comesBack = delayOfReturn(failure);
        if (comesBack != null) {
            return new Returned(comesBack, failure, breaker);
        }
        PoisonReason hopeless = reasonNotToRetry(failure);
        if (hopeless != null) {
            return new Poisoned(hopeless, failure, breaker, PoisonRecord.NONE);
        }
        if (failed.timeLeft().isCutShort()) {
            return expired(failure, breaker);
        }
        int attempt = failed.delayedRetries();
        if (attempt < delayed.maxRetries()) {
            Duration delay = failure instanceof RetryLaterException later
                    ? later.delay()
                    : delayed.delay(attempt, failed.random());
            return failed.timeLeft().endsWithin(delay)
                    ? expired(failure, breaker)
                    : new Retried(delay, failure, breaker);
        }
        return new Poisoned(exhausted(failure), failure, breaker, PoisonRecord.NONE);
    }

    /** The deadline has passed, or a retry would come back too late: whoever carries that out knows the deadline. */
    private static Poisoned expired(Throwable failure, BreakerEffect breaker) {
        return new Poisoned(PoisonReason.EXPIRED, failure, breaker, PoisonRecord.NONE);
    }

    /** Whether a message that fails like this comes back as the same attempt. */
    public static boolean costsNothing(Throwable failure) {
        return delayOfReturn(failure) != null;
    }

    private static @Nullable Duration delayOfReturn(Throwable failure) {
        if (failure instanceof NotHandledException notHandled) {
            return notHandled.delay();
        }
        return failure instanceof ThrottledException throttled ? throttled.delay() : null;
    }

    private @Nullable PoisonReason reasonNotToRetry(Throwable failure) {
        if (failure instanceof InvalidMessageException invalid) {
            return invalid.reason();
        }
        return isRetryable(failure) ? null : PoisonReason.HANDLER_FAILED;
    }

    private PoisonReason exhausted(Throwable failure) {
        if (failure instanceof UnknownSagaException) {
            return PoisonReason.UNKNOWN_SAGA;
        }
        if (failure instanceof NotYetReadableException missing) {
            return missing.reason();
        }
        boolean retried = inMemory.maxRetries() + delayed.maxRetries() > 0;
        return retried ? PoisonReason.RETRIES_EXHAUSTED : PoisonReason.HANDLER_FAILED;
    }

    private static boolean isRetryableNow(Throwable failure) {
        return !(failure instanceof RetryLaterException
                || failure instanceof InterruptedException
                || failure instanceof UnknownSagaException
                || failure instanceof NotYetReadableException);
    }

    private boolean isRetryable(Throwable failure) {
        if (failure instanceof PublishException
                || failure instanceof UnpublishedException
                || failure instanceof UnknownSagaException
                || failure instanceof NotYetReadableException) {
            return true; // retryFor and noRetryFor are about the handler's own failures
        }
        if (failure instanceof PoisonMessageException || isDefectOfASaga(failure) || matches(noRetryFor, failure)) {
            return false;
        }
        return retryFor.isEmpty() || matches(retryFor, failure) || failure instanceof RetryLaterException;
    }

    /**
     * Whether a saga's code is wrong. Not retried: the same code would be refused again, and during the retries the saga would seem to be
     * healthy.
     */
    private static boolean isDefectOfASaga(Throwable failure) {
        return failure instanceof MisuseException misuse && misuse.code().equals(MisuseException.SAGA);
    }

    private static @Nullable Duration asked(Throwable failure) {
        if (failure instanceof RetryLaterException later) {
            return later.delay();
        }
        return failure instanceof ThrottledException throttled ? throttled.delay() : null;
    }

    /** The failure of a message that would come back too old to reach its handler: it is set aside now, while it can still be replayed. */
    private static PoisonMessageException tooLate(Duration asked, Age age, Throwable failure) {
        return new PoisonMessageException(
                "The handler asked for the message again at a time when it will be too old to be handled [delay=%s, age=%s, safebunny.dedup.retention=%s]. It is set aside now, while it can still be replayed. Ask for a shorter delay, or raise the retention."
                        .formatted(asked, age.now(), age.limit()),
                failure);
    }

    private static boolean matches(List<Class<? extends Throwable>> types, Throwable failure) {
        return types.stream().anyMatch(type -> type.isInstance(failure));
    }
}
