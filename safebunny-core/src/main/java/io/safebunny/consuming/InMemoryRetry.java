// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.pipeline.Next;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.time.Timeline;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.springframework.retry.RetryContext;
import org.springframework.retry.backoff.BackOffContext;
import org.springframework.retry.backoff.BackOffInterruptedException;
import org.springframework.retry.backoff.BackOffPolicy;
import org.springframework.retry.policy.SimpleRetryPolicy;
import org.springframework.retry.support.RetryTemplate;

/** In-memory retries of one handler, by spring-retry. Thread-safe. */
final class InMemoryRetry {

    private final RetryTemplate template = new RetryTemplate();
    private final boolean retries;

    InMemoryRetry(RecoveryPolicy recovery, Timeline timeline, RandomGenerator random) {
        retries = recovery.inMemory().maxRetries() > 0;
        template.setRetryPolicy(new ByRecoveryPolicy(recovery));
        template.setBackOffPolicy(new OnTimeline(recovery.inMemory(), timeline, random));
    }

    /**
     * Runs the action until it succeeds, or no retry is allowed; then throws its last failure as it was thrown.
     *
     * @param open whether the delivery is still ours: when not, the message is delivered again and retries would only be in its way
     */
    void run(Next action, BooleanSupplier open) throws Exception {
        if (!retries) {
            action.run();
            return;
        }
        template.execute(context -> {
            Throwable last = context.getLastThrowable();
            if (last != null && !open.getAsBoolean()) { // closed during the wait
                context.setExhaustedOnly();
                throw thrown(last);
            }
            try {
                action.run();
            } catch (Throwable failure) {
                if (!open.getAsBoolean()) {
                    context.setExhaustedOnly();
                }
                throw failure;
            }
            return true;
        });
    }

    /** Handlers throw exceptions and errors only. */
    private static Exception thrown(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (Exception) failure;
    }

    private static final class ByRecoveryPolicy extends SimpleRetryPolicy {
        private static final long serialVersionUID = 1L;
        private final transient RecoveryPolicy recovery;

        ByRecoveryPolicy(RecoveryPolicy recovery) {
            super(recovery.inMemory().maxRetries() + 1);
            this.recovery = recovery;
        }

        @Override
        public boolean canRetry(RetryContext context) {
            Throwable last = context.getLastThrowable();
            return last == null || (context.getRetryCount() < getMaxAttempts() && recovery.retriesInMemory(last));
        }
    }

    private record OnTimeline(RetryStrategy strategy, Timeline timeline, RandomGenerator random)
            implements BackOffPolicy {

        @Override
        public BackOffContext start(RetryContext context) {
            return new Position();
        }

        @Override
        public void backOff(BackOffContext context) {
            Position position = (Position) context;
            try {
                timeline.sleep(strategy.delay(position.next++, random.nextDouble()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BackOffInterruptedException("Interrupted while waiting for an in-memory retry", e);
            }
        }
    }

    private static final class Position implements BackOffContext {
        private static final long serialVersionUID = 1L;
        private int next;
    }
}
