// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.failure.Printable;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of failures of one handler: the first one of a message and the one that sets it aside with their traces, those between in one
 * line, and what refuses a message without a trace, which would only show the refusal's own place. Thread-safe.
 */
final class FailureLog {

    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

    private static final int LONGEST_TEXT = 1_000;

    private final String node;
    private final String handler;

    /** @param handler bean and method */
    FailureLog(String node, String handler) {
        this.node = node;
        this.handler = handler;
    }

    /** @param again how it goes on, as the end of a sentence */
    void failed(HandledMessage message, String again, Throwable failure) {
        boolean traced = message.isFirstFailure() && !(failure instanceof InvalidMessageException);
        LOG.warn(
                "Message {} of queue {} failed in {}; {}: {}",
                message.messageId(),
                message.queue(),
                handler,
                again,
                text(failure),
                trace(failure, traced));
    }

    void poisoned(WireMessage message, PoisonReason reason, Throwable failure) {
        LOG.error(
                "Message goes to {}-poison [reason={}, handler={}, {}]: {}",
                node,
                reason.wireName(),
                handler,
                message,
                text(failure),
                trace(failure, !(failure instanceof InvalidMessageException)));
    }

    /** Handlers quote messages in their exceptions: no line break of a sender's begins a line of the log. */
    private static String text(Throwable failure) {
        return Names.printable(Printable.of(failure).toString(), LONGEST_TEXT);
    }

    private static @Nullable Throwable trace(Throwable failure, boolean wanted) {
        return wanted ? Printable.of(failure) : null;
    }
}
