// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.pipeline.Pipeline;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The innermost step: runs the handler, undoes it when it failed, and lets the after group see how it ended. Only then does a failure go on
 * outwards. Thread-safe.
 */
final class HandlerStep {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerStep.class);

    private final HandlerRunner runner;
    private final Pipeline<HandledMessage> after;
    private final boolean mayGoOn;
    private final BoundedLog log;
    private final Kind failedAfter;

    /**
     * @param mayGoOn whether a middleware around it may swallow a failure, or run the handler again
     * @param queue of the handled messages
     */
    HandlerStep(HandlerRunner runner, boolean mayGoOn, List<ConsumeMiddleware> after, BoundedLog log, String queue) {
        this.runner = runner;
        this.mayGoOn = mayGoOn;
        this.after = new Pipeline<>(after);
        this.log = log;
        this.failedAfter = Kind.warn(LOG, "Middlewares failed after messages of queue " + queue);
    }

    void run(HandledMessage message) throws Exception {
        Throwable failure = runner.run(message);
        // an interrupt the handler left behind would fail the settling of its message
        Thread.interrupted();
        if (failure != null && mayGoOn) {
            failure = undo(message, failure);
        }
        message.failed(failure);
        runAfter(message);
        if (failure instanceof Exception exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
    }

    /** Nothing of the failed run may be completed with what a middleware does after it. */
    private static Throwable undo(HandledMessage message, Throwable failure) {
        try {
            message.handling.undoAttempt();
            return failure;
        } catch (Throwable decided) {
            if (decided != failure) {
                LOG.info(
                        "The handler of message {} failed [failure={}], and nothing can follow that",
                        message.messageId(),
                        failure.getClass().getName());
            }
            return decided;
        }
    }

    /** What happened has happened: a failure here is told and changes nothing. */
    private void runAfter(HandledMessage message) {
        try {
            after.run(message);
        } catch (Throwable e) {
            log.tell(
                    failedAfter,
                    message.delivery.message().message().toString(),
                    () -> LOG.warn(
                            "A middleware failed after the handling of message {}",
                            message.messageId(),
                            log.tellable(e)));
        }
    }
}
