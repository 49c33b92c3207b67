// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.FailureDetails;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs outages that the exactly-once protocol notices (the store does not answer, publications are not confirmed): once when they
 * begin and once when they are over, however many messages they affect. Thread-safe.
 */
public final class DedupLog {

    private static final Logger LOG = LoggerFactory.getLogger(DedupLog.class);
    private static final Subject NO_ANSWER = Subject.warn(LOG, "The message store does not answer");
    private static final Subject UNCONFIRMED = Subject.warn(LOG, "Publications of handled messages are not confirmed");

    /** Bound for entries that concern a single message each. */
    private static final int MOST_A_MINUTE = 20;

    private final BoundedLog log;

    public DedupLog(BoundedLog log) {
        this.log = log;
    }

    /**
     * @param which id of the message, or what else the store was asked for
     * @param then what happens next
     */
    public void noAnswer(String which, String then, RuntimeException e) {
        noAnswer(which, then, e, details());
    }

    /** @param details how much is logged of the failure, of which a handler's transaction may be the cause */
    public void noAnswer(String which, String then, RuntimeException e, FailureDetails details) {
        log.fails(
                NO_ANSWER,
                which,
                () -> LOG.warn("The message store does not answer [{}]; {}", which, then, details.logged(e)));
    }

    public void answered() {
        log.works(NO_ANSWER);
    }

    /** @param messageId whose publications they are */
    public void unconfirmed(String messageId, @Nullable Throwable failure) {
        log.fails(
                UNCONFIRMED,
                messageId,
                () -> LOG.warn(
                        "Publications of message {} are not confirmed; they are sent again later, as are those of other messages",
                        messageId,
                        failure == null ? null : tellable(failure)));
    }

    public void confirmed() {
        log.works(UNCONFIRMED);
    }

    /** Logs an event that concerns one message; floods are summarised. */
    public void tell(Subject kind, String messageId, Runnable inFull) {
        log.tell(kind.upTo(MOST_A_MINUTE), messageId, inFull);
    }

    /** A handler failed, but another delivery has the message by now, so the failure decides nothing. */
    public void othersByNow(Throwable failure, NotHandledException instead) {
        String what = String.valueOf(instead.getMessage());
        tell(
                Subject.info(LOG, "Handlers failed after other deliveries had taken their messages"),
                what,
                () -> LOG.info("{} [failure={}]", what, failure.getClass().getName()));
    }

    /** How much is logged of failures that have nothing to do with a message. */
    public FailureDetails details() {
        return FailureDetails.of(log.details());
    }

    public Throwable tellable(Throwable failure) {
        return log.tellable(failure);
    }
}
