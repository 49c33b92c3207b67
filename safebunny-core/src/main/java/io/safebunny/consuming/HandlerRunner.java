// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.failure.MessageExpiredException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.observation.Metrics;
import io.safebunny.rate.leasing.RateLimit;
import io.safebunny.time.Timeline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.retry.RetryContext;
import org.springframework.retry.RetryPolicy;
import org.springframework.retry.backoff.BackOffContext;
import org.springframework.retry.backoff.BackOffPolicy;
import org.springframework.retry.context.RetryContextSupport;
import org.springframework.retry.support.RetryTemplate;

/** Runs a handler, with its in-memory retries; spring-retry does the looping and waiting. Thread-safe. */
final class HandlerRunner {

    private static final Duration USED_UP_COMES_BACK = Duration.ofSeconds(1);

    private final RetryTemplate template = new RetryTemplate();
    private final HandlerDefinition handler;
    private final Recoverer recoverer;
    private final Timeline timeline;
    private final Metrics metrics;
    private final int maxRetries;
    private final @Nullable RateLimit rate;

    /** @param rate each run takes a turn of it; {@code null} for none */
    HandlerRunner(
            HandlerDefinition handler,
            Recoverer recoverer,
            Timeline timeline,
            Metrics metrics,
            @Nullable RateLimit rate) {
        this.handler = handler;
        this.recoverer = recoverer;
        this.timeline = timeline;
        this.metrics = metrics;
        this.rate = rate;
        this.maxRetries = handler.recovery().inMemory().maxRetries();
        template.setRetryPolicy(new AsDecided());
        template.setBackOffPolicy(new OnTimeline(timeline));
    }

    /** @return the last failure, whose publications are discarded; {@code null} when it succeeded */
    @Nullable
    Throwable run(HandledMessage message) {
        try {
            if (message.sharesTransaction) { // whatever fails here costs nothing, and is not told
                runOnce(message);
            } else if (maxRetries == 0) {
                runTheOnlyTime(message);
            } else {
                runAgainAndAgain(message);
            }
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    private void runTheOnlyTime(HandledMessage message) throws Exception {
        awaitTurn(message, message.attemptFailure());
        try {
            runOnce(message);
        } catch (MessageExpiredException e) {
            throw e;
        } catch (Throwable failure) {
            recoverer.failed(message, failure, null);
            throw failure;
        }
    }

    private void runOnce(HandledMessage message) throws Exception {
        message.begins(timeline.nanoTime());
        if (message.isOverdue(timeline)) {
            throw recoverer.overdue(message);
        }
        HandlerInvoker expired = message.expired() == null ? null : handler.onExpired();
        HandlerInvoker invoker = expired == null ? handler.invoker() : expired;
        message.handling.attempt(() -> invoker.invoke(message.payloadOfRun(), message));
    }

    private void runAgainAndAgain(HandledMessage message) throws Exception {
        Object unused = template.execute(context -> {
            Run run = (Run) context;
            Throwable last = run.getLastThrowable();
            run.again = null;
            awaitTurn(message, last == null ? message.attemptFailure() : last);
            if (last != null) {
                // closed during the wait: a retry would compete with the next delivery
                if (!message.delivery.isOpen()) {
                    throw thrown(last);
                }
                metrics.retriedInMemory(handler.type());
            }
            try {
                runOnce(message);
            } catch (MessageExpiredException e) {
                run.again = null;
                throw e;
            } catch (Throwable failure) {
                Thread.interrupted(); // left behind by the handler, it would end the wait
                run.again = null; // in case the decision throws
                run.again = recoverer.again(message, failure, run.getRetryCount());
                recoverer.failed(message, failure, run.again);
                throw failure;
            }
            return message;
        });
    }

    /**
     * Each run takes a turn of the rate, if there is one.
     *
     * @param last why the run before has failed, which is the end if there is no turn soon: if it cost no attempt, it could go on for ever
     */
    private void awaitTurn(HandledMessage message, @Nullable Throwable last) throws Exception {
        if (rate == null || message.expired() != null || message.isOverdue(timeline)) {
            return;
        }
        if (!rate.begin(message.takeTurn())) {
            throw last == null
                    ? NotHandledException.later(
                            "The rate of %s was used up before message %s began"
                                    .formatted(handler.type(), message.messageId()),
                            USED_UP_COMES_BACK)
                    : thrown(last);
        }
        if (last == null && !message.delivery.isOpen()) {
            throw NotHandledException.later(
                    "The delivery of message %s was lost while it waited".formatted(message.messageId()),
                    Duration.ZERO);
        }
    }

    /** Handlers throw exceptions and errors only. */
    private static Exception thrown(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (Exception) failure;
    }

    /** The runs of the handler within one delivery. */
    private static final class Run extends RetryContextSupport {
        private static final long serialVersionUID = 1L;

        /** The wait after the latest failure; {@code null} when the handler is not run again. */
        private transient @Nullable Duration again;

        Run(@Nullable RetryContext parent) {
            super(parent);
        }
    }

    private static final class AsDecided implements RetryPolicy {
        private static final long serialVersionUID = 1L;

        @Override
        public RetryContext open(@Nullable RetryContext parent) {
            return new Run(parent);
        }

        @Override
        public boolean canRetry(RetryContext context) {
            return context.getLastThrowable() == null || ((Run) context).again != null;
        }

        @Override
        public void registerThrowable(RetryContext context, Throwable failure) {
            ((Run) context).registerThrowable(failure);
        }

        @Override
        public void close(RetryContext context) {}
    }

    private record OnTimeline(Timeline timeline) implements BackOffPolicy {

        private record Waits(Run run) implements BackOffContext {}

        @Override
        public BackOffContext start(RetryContext context) {
            return new Waits((Run) context);
        }

        @Override
        public void backOff(BackOffContext context) {
            Duration again = ((Waits) context).run().again;
            try {
                timeline.sleep(again == null ? Duration.ZERO : again);
            } catch (InterruptedException e) {
                // a forced stop closes the delivery first, which ends the retries; any other interrupt only ends the
                // wait
            }
        }
    }
}
