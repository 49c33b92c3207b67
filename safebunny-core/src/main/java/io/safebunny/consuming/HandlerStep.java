// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Pipeline;
import io.safebunny.message.BunnyUndone;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Next;
import io.safebunny.publishing.LibraryMessages;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the before group, and the handler within it. A handler that failed is undone before its failure goes on outwards; an undo that
 * succeeded is acknowledged to its saga. Thread-safe.
 */
final class HandlerStep {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerStep.class);

    /** Of the acknowledgement: there is one per undo. */
    private static final String KEY = "1";

    private final HandlerRunner runner;
    private final LibraryMessages messages;
    private final Pipeline<HandledMessage> beforeGroup;
    /** A middleware may swallow a failure, or run the handler again. */
    private final boolean mayGoOn;

    HandlerStep(List<ConsumeMiddleware> beforeGroup, HandlerRunner runner, LibraryMessages messages) {
        this.runner = runner;
        this.messages = messages;
        this.mayGoOn = !beforeGroup.isEmpty();
        this.beforeGroup = new Pipeline<>(beforeGroup);
    }

    void run(HandledMessage message) throws Exception {
        try {
            beforeGroup.run(message, () -> runHandler(message));
        } finally {
            Thread.interrupted(); // left behind by a middleware, it would fail the completion or the sending
        }
        if (message.attemptFailure() instanceof NotHandledException notHandled) {
            throw notHandled; // no middleware can make up for a handler that did not run to its end
        }
        acknowledgeUndo(message.handling);
    }

    /** Whether there is anything {@link #around}: it costs something for each message of a batch. */
    boolean isAround() {
        return mayGoOn;
    }

    /** Runs the before group of one message of a batch: only that. */
    void around(HandledMessage message, Next inner) throws Exception {
        beforeGroup.run(message, inner);
    }

    private void runHandler(HandledMessage message) throws Exception {
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

    /** One of the publications, so that it is stored with the completion. */
    private void acknowledgeUndo(Handling handling) {
        Envelope undo = handling.message();
        String step = undo.undoes();
        if (step != null) {
            handling.collect(messages.after(undo, new BunnyUndone(undo.node(), step), KEY));
        }
    }
}
