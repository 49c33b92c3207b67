// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.PublishException;
import io.safebunny.failure.UnpublishedException;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.recovery.FailedAttempt.Age;
import io.safebunny.recovery.RecoveryAction.ComeBack;
import io.safebunny.recovery.RecoveryAction.Poison;
import io.safebunny.recovery.RecoveryAction.Redelivery;
import io.safebunny.recovery.RecoveryAction.RetryDelayed;
import io.safebunny.recovery.RecoveryAction.RetryNow;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what follows from a handler's failures. Pure. The handler runs at most (in-memory retries + 1) × (delayed retries + 1)
 * times.
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

    /** Decides what a failure means for the message, its record and its type. The only place that does. */
    public Recovery decide(FailedAttempt failed) {
        Throwable failure = failed.failure();
        Duration asked = asked(failure);
        Throwable told = asked != null && failed.isOpen() && failed.age().isExceededIn(asked)
                ? tooLate(asked, failed.age(), failure)
                : failure;
        return new Recovery(action(failed, told), BreakerEffect.of(failure), told);
    }

    private RecoveryAction action(FailedAttempt failed, Throwable failure) {
        if (!failed.isOpen()) {
            return new Redelivery();
        }
        if (failure instanceof NotHandledException notHandled) {
            return new ComeBack(notHandled.delay());
        }
        if (failure instanceof ThrottledException throttled) {
            return new ComeBack(throttled.delay());
        }
        if (failure instanceof InvalidMessageException invalid) {
            return new Poison(invalid.reason());
        }
        if (!isRetryable(failure)) {
            return new Poison(PoisonReason.HANDLER_FAILED);
        }
        int tries = failed.inMemoryRetries();
        if (tries < inMemory.maxRetries() && isRetryableNow(failure)) {
            return new RetryNow(inMemory.delay(tries, failed.random()));
        }
        int attempt = failed.delayedRetries();
        if (attempt < delayed.maxRetries()) {
            return new RetryDelayed(
                    failure instanceof RetryLaterException later
                            ? later.delay()
                            : delayed.delay(attempt, failed.random()));
        }
        if (failure instanceof UnknownSagaException) {
            return new Poison(PoisonReason.UNKNOWN_SAGA);
        }
        boolean retried = inMemory.maxRetries() + delayed.maxRetries() > 0;
        return new Poison(retried ? PoisonReason.RETRIES_EXHAUSTED : PoisonReason.HANDLER_FAILED);
    }

    private static boolean isRetryableNow(Throwable failure) {
        return !(failure instanceof RetryLaterException
                || failure instanceof InterruptedException
                || failure instanceof UnknownSagaException);
    }

    private boolean isRetryable(Throwable failure) {
        if (failure instanceof PublishException
                || failure instanceof UnpublishedException
                || failure instanceof UnknownSagaException) {
            return true; // retryFor and noRetryFor are about the handler's own failures
        }
        if (failure instanceof PoisonMessageException || isDefectOfASaga(failure) || matches(noRetryFor, failure)) {
            return false;
        }
        return retryFor.isEmpty() || matches(retryFor, failure) || failure instanceof RetryLaterException;
    }

    /** The same code would be refused again, and while it is retried, the saga seems to be well. */
    private static boolean isDefectOfASaga(Throwable failure) {
        return failure instanceof MisuseException misuse && misuse.code().equals(MisuseException.SAGA);
    }

    private static @Nullable Duration asked(Throwable failure) {
        if (failure instanceof RetryLaterException later) {
            return later.delay();
        }
        return failure instanceof ThrottledException throttled ? throttled.delay() : null;
    }

    /** A message that comes back too old would never reach its handler, so it is set aside while it can still be replayed. */
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
