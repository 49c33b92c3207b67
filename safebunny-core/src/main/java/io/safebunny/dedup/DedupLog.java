// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.recovery.NotHandledException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the exactly-once protocol tells of its surroundings: that the store does not answer, or publications are not confirmed, once,
 * whoever finds out and for however many messages; and that it is over. Thread-safe.
 */
final class DedupLog {

    private static final Logger LOG = LoggerFactory.getLogger(DedupLog.class);
    private static final Kind NO_ANSWER = Kind.warn(LOG, "The message store does not answer");
    private static final Kind UNCONFIRMED = Kind.warn(LOG, "Publications of handled messages are not confirmed");

    /** Of what concerns one message each. */
    private static final int MOST_A_MINUTE = 20;

    private final BoundedLog log;

    DedupLog(BoundedLog log) {
        this.log = log;
    }

    /**
     * @param which message, or what else was asked for
     * @param then how it goes on
     */
    void noAnswer(String which, String then, RuntimeException e) {
        log.fails(
                NO_ANSWER,
                which,
                () -> LOG.warn("The message store does not answer [{}]; {}", which, then, tellable(e)));
    }

    void answered() {
        log.works(NO_ANSWER);
    }

    /** @param messageId whose publications they are */
    void unconfirmed(String messageId, @Nullable Throwable failure) {
        log.fails(
                UNCONFIRMED,
                messageId,
                () -> LOG.warn(
                        "Publications of message {} are not confirmed; they are sent again later, and so are those of others",
                        messageId,
                        failure == null ? null : tellable(failure)));
    }

    void confirmed() {
        log.works(UNCONFIRMED);
    }

    /** Something about one message. */
    void tell(Kind kind, String messageId, Runnable inFull) {
        log.tell(kind.upTo(MOST_A_MINUTE), messageId, inFull);
    }

    /** A handler failed, and its message is another delivery's. */
    void othersByNow(Throwable failure, NotHandledException instead) {
        String what = String.valueOf(instead.getMessage());
        tell(
                Kind.info(LOG, "Handlers failed whose messages are others' by now"),
                what,
                () -> LOG.info("{} [failure={}]", what, failure.getClass().getName()));
    }

    Throwable tellable(Throwable failure) {
        return log.tellable(failure);
    }
}
