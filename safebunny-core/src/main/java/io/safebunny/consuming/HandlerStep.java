// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The innermost step: runs the handler, and undoes it when it failed. Only then does the failure go on outwards. Thread-safe. */
final class HandlerStep {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerStep.class);

    private final HandlerRunner runner;
    private final boolean mayGoOn;

    /** @param mayGoOn whether a middleware around it may swallow a failure, or run the handler again */
    HandlerStep(HandlerRunner runner, boolean mayGoOn) {
        this.runner = runner;
        this.mayGoOn = mayGoOn;
    }

    void run(HandledMessage message) throws Exception {
        Throwable failure = runner.run(message);
        // an interrupt the handler left behind would fail the settling of its message
        Thread.interrupted();
        if (failure != null && mayGoOn) {
            failure = undo(message, failure);
        }
        message.failed(failure);
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
}
