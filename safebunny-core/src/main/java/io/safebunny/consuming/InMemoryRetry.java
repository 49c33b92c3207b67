// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.middleware.Next;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.time.Timeline;
import java.util.random.RandomGenerator;
import org.springframework.retry.RetryContext;
import org.springframework.retry.backoff.BackOffContext;
import org.springframework.retry.backoff.BackOffPolicy;
import org.springframework.retry.policy.SimpleRetryPolicy;
import org.springframework.retry.support.RetryTemplate;

/** In-memory retries of one handler, by spring-retry. Thread-safe. */
final class InMemoryRetry {

    private final RetryTemplate template = new RetryTemplate();
    private final RecoveryPolicy recovery;
    private final FailureLog log;

    InMemoryRetry(RecoveryPolicy recovery, Timeline timeline, RandomGenerator random, FailureLog log) {
        this.recovery = recovery;
        this.log = log;
        template.setRetryPolicy(new ByRecoveryPolicy(recovery));
        template.setBackOffPolicy(new OnTimeline(recovery.inMemory(), timeline, random));
    }

    /**
     * Runs the action until it succeeds, or no retry is allowed; then throws its last failure as it was thrown.
     *
     * @param message when its delivery is the broker's again, retries would only be in the way of the next one
     */
    void run(Next action, HandledMessage message) throws Exception {
        if (recovery.inMemory().maxRetries() == 0) {
            action.run();
            return;
        }
        template.execute(context -> {
            Throwable last = context.getLastThrowable();
            if (last != null && !message.delivery.isOpen()) { // closed during the wait
                context.setExhaustedOnly();
                throw thrown(last);
            }
            try {
                action.run();
            } catch (Throwable failure) {
                Thread.interrupted(); // left behind by the handler, it would end the wait
                int retry = context.getRetryCount() + 1;
                if (!message.delivery.isOpen()) {
                    context.setExhaustedOnly();
                } else if (retry <= recovery.inMemory().maxRetries() && recovery.retriesInMemory(failure)) {
                    log.failed(
                            message,
                            "in-memory retry %d of %d"
                                    .formatted(retry, recovery.inMemory().maxRetries()),
                            failure);
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
                // a forced stop closes the delivery first, which ends the retries; any other interrupt only ends the
                // wait
            }
        }
    }

    private static final class Position implements BackOffContext {
        private static final long serialVersionUID = 1L;
        private int next;
    }
}
