// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.failure.PublishException;
import io.safebunny.failure.UnpublishedException;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.recovery.RecoveryAction.ComeBack;
import io.safebunny.recovery.RecoveryAction.Poison;
import io.safebunny.recovery.RecoveryAction.RetryDelayed;
import java.util.List;

/**
 * The recovery of one handler, as pure decisions. Attempts = (in-memory retries + 1) × (delayed retries + 1).
 *
 * @param inMemory retries that hold a prefetch place
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
     * What to do after the handling failed for this delivery, in-memory retries included.
     *
     * @param attempt delayed retries so far
     * @param random 0 to 1, for jitter
     */
    public RecoveryAction decide(Throwable failure, int attempt, double random) {
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
        if (attempt < delayed.maxRetries()) {
            return new RetryDelayed(
                    failure instanceof RetryLaterException later ? later.delay() : delayed.delay(attempt, random));
        }
        boolean retried = inMemory.maxRetries() + delayed.maxRetries() > 0;
        return new Poison(retried ? PoisonReason.RETRIES_EXHAUSTED : PoisonReason.HANDLER_FAILED);
    }

    /** Whether the handler is tried again in memory after this failure, retries permitting. */
    public boolean retriesInMemory(Throwable failure) {
        return isRetryable(failure)
                && !(failure instanceof RetryLaterException)
                && !(failure instanceof ThrottledException)
                && !(failure instanceof NotHandledException)
                && !(failure instanceof InvalidMessageException)
                && !(failure instanceof InterruptedException);
    }

    private boolean isRetryable(Throwable failure) {
        if (failure instanceof PublishException || failure instanceof UnpublishedException) {
            return true; // the exception lists speak of the handler's own failures
        }
        if (failure instanceof PoisonMessageException || matches(noRetryFor, failure)) {
            return false;
        }
        return retryFor.isEmpty() || matches(retryFor, failure) || failure instanceof RetryLaterException;
    }

    private static boolean matches(List<Class<? extends Throwable>> types, Throwable failure) {
        return types.stream().anyMatch(type -> type.isInstance(failure));
    }
}
