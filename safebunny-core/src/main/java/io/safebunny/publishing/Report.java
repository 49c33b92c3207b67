// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.handling.MessageScope;
import io.safebunny.handling.Pipeline;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.DetailsByType;
import io.safebunny.transport.OutboundMessage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the outcome of one publication to the after group, once. Travels with the message, so no other bookkeeping is needed.
 * Thread-safe.
 */
final class Report implements OutboundMessage.Watcher {

    private static final Logger LOG = LoggerFactory.getLogger(Report.class);
    private static final Subject AFTER =
            Subject.warn(LOG, "Middlewares failed after publishing").upTo(20);
    private static final Subject UNTOLD = Subject.warn(
                    LOG, "Outcomes of publications were not reported to publish middlewares")
            .upTo(20);

    private final PublishCall call;
    private final Pipeline<PublishContext> after;
    private final MessageScope scope;
    private final Executor reports;
    private final BoundedLog log;
    private final DetailsByType details;
    private final AtomicBoolean told = new AtomicBoolean();

    /** @param reports runs the middlewares if the outcome is decided on a thread that must not wait for them */
    Report(
            PublishCall call,
            Pipeline<PublishContext> after,
            MessageScope scope,
            Executor reports,
            BoundedLog log,
            DetailsByType details) {
        this.call = call;
        this.after = after;
        this.scope = scope;
        this.reports = reports;
        this.log = log;
        this.details = details;
    }

    @Override
    public void ended(PublishOutcome outcome, @Nullable Throwable failure) {
        if (told.getAndSet(true)) {
            return;
        }
        try {
            reports.execute(() -> run(outcome, failure));
        } catch (Throwable e) { // a failure to report must not affect the message
            String id = String.valueOf(call.messageId());
            log.tell(
                    UNTOLD,
                    id,
                    () -> LOG.warn(
                            "Outcome of message {} not reported to publish middlewares: {}",
                            id,
                            outcome,
                            details.ofPayload(call.payload()).logged(e)));
        }
    }

    /** Reports the outcome on this thread. */
    void endedHere(PublishOutcome outcome, @Nullable Throwable failure) {
        if (!told.getAndSet(true)) {
            run(outcome, failure);
        }
    }

    /** Runs the after group; failures are only logged, because the outcome is final. */
    private void run(PublishOutcome outcome, @Nullable Throwable failure) {
        call.ended(outcome, failure);
        try {
            scope.run(() -> after.run(call));
        } catch (Throwable e) {
            String id = String.valueOf(call.messageId());
            log.tell(
                    AFTER,
                    id,
                    () -> LOG.warn(
                            "A middleware failed after the publishing of message {}",
                            id,
                            details.ofPayload(call.payload()).logged(e)));
        }
    }
}
