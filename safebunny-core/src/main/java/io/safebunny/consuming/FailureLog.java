// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of failures of one handler: the first one of a message and the one that sets it aside with their traces, those between in one
 * line, and what refuses a message without a trace, which would only show the refusal's own place. Of refusals for one reason the first
 * is told, of failures of one class twenty a minute; more are counted. Thread-safe.
 */
final class FailureLog {

    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

    private static final int LONGEST_TEXT = 1_000;

    /** Failures of handlers: enough to see whether several messages have the same trouble. */
    private static final int FAILURES_A_MINUTE = 20;

    private final BoundedLog log;
    private final String node;
    private final String handler;

    /** @param handler bean and method */
    FailureLog(BoundedLog log, String node, String handler) {
        this.log = log;
        this.node = node;
        this.handler = handler;
    }

    /** @param again how it goes on, as the end of a sentence */
    void failed(HandledMessage message, String again, Throwable failure) {
        boolean traced = !message.hasFailedBefore() && !(failure instanceof InvalidMessageException);
        message.noteFailure();
        Kind kind = Kind.warn(LOG, "Messages failed in %s [failure=%s]".formatted(handler, nameOf(failure)))
                .upTo(FAILURES_A_MINUTE);
        log.tell(
                kind,
                message.messageId(),
                () -> LOG.warn(
                        "Message {} of queue {} failed in {}; {}: {}",
                        message.messageId(),
                        message.queue(),
                        handler,
                        again,
                        text(failure),
                        trace(failure, traced)));
    }

    void poisoned(WireMessage message, PoisonReason reason, Throwable failure) {
        boolean refused = failure instanceof InvalidMessageException;
        log.tell(
                refused ? refusals(reason) : failures(reason, failure),
                message.toString(),
                () -> LOG.error(
                        "Message goes to {}-poison [reason={}, handler={}, {}]: {}",
                        node,
                        reason.wireName(),
                        handler,
                        message,
                        text(failure),
                        trace(failure, !refused)));
    }

    private Kind refusals(PoisonReason reason) {
        return Kind.error(
                LOG, "Messages go to %s-poison [reason=%s, handler=%s]".formatted(node, reason.wireName(), handler));
    }

    private Kind failures(PoisonReason reason, Throwable failure) {
        return Kind.error(
                        LOG,
                        "Messages go to %s-poison [reason=%s, handler=%s, failure=%s]"
                                .formatted(node, reason.wireName(), handler, nameOf(failure)))
                .upTo(FAILURES_A_MINUTE);
    }

    private static String nameOf(Throwable failure) {
        return failure.getClass().getName();
    }

    /** Handlers quote messages in their exceptions: no line break of a sender's begins a line of the log. */
    private String text(Throwable failure) {
        return Names.printable(log.tellable(failure).toString(), LONGEST_TEXT);
    }

    private @Nullable Throwable trace(Throwable failure, boolean wanted) {
        return wanted ? log.tellable(failure) : null;
    }
}
