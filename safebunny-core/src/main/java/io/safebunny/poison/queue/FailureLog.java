// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.FailureDetails;
import io.safebunny.transport.IncomingMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the failures of one handler. The first failure of a message, and the one that poisons it, are logged with a stack trace, those in
 * between with one line. Refused messages have no trace, because it would only show SafeBunny's own check. Floods are bounded to one full
 * entry per reason of refusal, and twenty failures a minute per exception class; the rest are counted, and logged one by one at {@code
 * DEBUG}. Thread-safe.
 */
public final class FailureLog {

    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

    private static final int LONGEST_TEXT = 1_000;

    /** Enough to see whether several messages fail for the same reason. */
    private static final int FAILURES_A_MINUTE = 20;

    private final BoundedLog log;
    private final FailureDetails details;
    private final String node;
    private final String handler;

    /**
     * @param details how much is logged of a failure
     * @param handler bean and method
     */
    public FailureLog(BoundedLog log, FailureDetails details, String node, String handler) {
        this.log = log;
        this.details = details;
        this.node = node;
        this.handler = handler;
    }

    /**
     * Identifies the message in every line about it.
     *
     * @param saga id of the message's saga, unless it is the correlation id
     */
    public static String ids(IncomingMessage message, @Nullable String saga) {
        return "queue=%s, %s%s"
                .formatted(
                        message.queue(),
                        message.message().ids(),
                        saga == null ? "" : ", saga=" + Names.printable(saga));
    }

    /**
     * @param ids from {@link #ids}
     * @param isFirst whether this is the first known failure of the message
     * @param again what happens next, as the end of a sentence
     */
    public void failed(String ids, boolean isFirst, String again, Throwable failure) {
        boolean traced = isFirst && !(failure instanceof InvalidMessageException);
        Subject kind = Subject.warn(LOG, "Messages failed in %s [failure=%s]".formatted(handler, nameOf(failure)))
                .upTo(FAILURES_A_MINUTE);
        log.tellEach(kind, ids, line -> line.setCause(trace(failure, traced))
                .log("A message failed in {} [{}]; {}: {}", handler, ids, again, text(failure)));
    }

    /**
     * @param ids from {@link #ids}
     * @param isDropped otherwise its method for expired messages has run
     */
    public void expired(String ids, boolean isDropped, Throwable failure) {
        String what = isDropped ? "dropped" : "told to the @OnExpired method";
        log.tellEach(
                Subject.info(LOG, "Messages of %s expired and were %s".formatted(handler, what))
                        .upTo(FAILURES_A_MINUTE),
                ids,
                line -> line.log(
                        "A message expired and was {} [handler={}, {}]: {}", what, handler, ids, text(failure)));
    }

    /** @param ids from {@link #ids} */
    public void shredded(String ids, Throwable failure) {
        log.tellEach(
                Subject.info(LOG, "Messages of %s were shredded".formatted(handler))
                        .upTo(FAILURES_A_MINUTE),
                ids,
                line -> line.log("A message was shredded [handler={}, {}]: {}", handler, ids, text(failure)));
    }

    /** @param ids from {@link #ids} */
    void poisoned(String ids, PoisonReason reason, Throwable failure) {
        boolean refused = failure instanceof InvalidMessageException;
        log.tellEach(refused ? refusals(reason) : failures(reason, failure), ids, line -> line.setCause(
                        trace(failure, !refused))
                .log(
                        "Message goes to {}-poison [reason={}, handler={}, {}]: {}",
                        node,
                        reason.wireName(),
                        handler,
                        ids,
                        text(failure)));
    }

    private Subject refusals(PoisonReason reason) {
        return Subject.error(
                LOG, "Messages go to %s-poison [reason=%s, handler=%s]".formatted(node, reason.wireName(), handler));
    }

    private Subject failures(PoisonReason reason, Throwable failure) {
        return Subject.error(
                        LOG,
                        "Messages go to %s-poison [reason=%s, handler=%s, failure=%s]"
                                .formatted(node, reason.wireName(), handler, nameOf(failure)))
                .upTo(FAILURES_A_MINUTE);
    }

    private static String nameOf(Throwable failure) {
        return failure.getClass().getName();
    }

    /** Exceptions may quote the message, so line breaks are removed: a sender must not forge log lines. */
    private String text(Throwable failure) {
        return Names.printable(details.logged(failure).toString(), LONGEST_TEXT);
    }

    private @Nullable Throwable trace(Throwable failure, boolean wanted) {
        return wanted ? details.logged(failure) : null;
    }
}
