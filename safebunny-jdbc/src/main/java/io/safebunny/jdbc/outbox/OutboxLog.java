// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.time.Timeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs outages of the database and the broker once when they begin and once when they end, however many messages they affect.
 * Thread-safe.
 */
final class OutboxLog {

    private static final Logger LOG = LoggerFactory.getLogger(OutboxLog.class);
    private static final Subject UNCONFIRMED = Subject.warn(LOG, "Messages of the outbox are not confirmed");

    /** Limit per minute for warnings about a single message. */
    private static final int MOST_A_MINUTE = 20;

    private final BoundedLog log;
    private final Failures failures;

    /** @param table name of the outbox table, for log texts */
    OutboxLog(Timeline timeline, String table) {
        // the texts are SafeBunny's own and contain only the message's id
        this.log = new BoundedLog(timeline, ExceptionDetails.FULL);
        this.failures = new Failures(table);
    }

    /** @param what failed, as a sentence; pass the same text to {@link #databaseAnswers} */
    void noDatabase(String what, Throwable e) {
        log.fails(Subject.warn(LOG, what), e.getClass().getName(), () -> failures.warn(LOG, what, e));
    }

    /** @param what had failed: the text passed to {@link #noDatabase} */
    void databaseAnswers(String what) {
        log.works(Subject.warn(LOG, what));
    }

    /** A missing connection or confirm is an outage of the broker; any other failure concerns this message. */
    void unsent(Throwable failure, String messageId, Runnable inFull) {
        if (failure instanceof ConnectionLostException || failure instanceof PublishTimeoutException) {
            log.fails(UNCONFIRMED, messageId, inFull);
        } else {
            Subject kind = Subject.warn(
                    LOG,
                    "Messages of the outbox could not be sent [failure=%s]"
                            .formatted(failure.getClass().getName()));
            log.tell(kind.upTo(MOST_A_MINUTE), messageId, inFull);
        }
    }

    void unreadable(String messageId, Runnable inFull) {
        log.tell(Subject.error(LOG, "Messages of the outbox cannot be read").upTo(MOST_A_MINUTE), messageId, inFull);
    }

    void missing(String messageId, Runnable inFull) {
        log.tell(
                Subject.warn(LOG, "Messages of the outbox were committed and are not in its table")
                        .upTo(MOST_A_MINUTE),
                messageId,
                inFull);
    }

    void sent() {
        log.works(UNCONFIRMED);
    }

    /** Logs the summaries that are still pending. */
    void close() {
        log.close();
    }
}
