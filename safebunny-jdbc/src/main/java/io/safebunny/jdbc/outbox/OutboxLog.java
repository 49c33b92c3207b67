// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.time.Timeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the outbox tells of its surroundings: that the database does not answer, or the broker does not confirm, when that begins and when
 * it ends, for however many messages. Thread-safe.
 */
final class OutboxLog {

    private static final Logger LOG = LoggerFactory.getLogger(OutboxLog.class);
    private static final Kind UNCONFIRMED = Kind.warn(LOG, "Messages of the outbox are not confirmed");

    /** Of what concerns one message each. */
    private static final int MOST_A_MINUTE = 20;

    private final BoundedLog log;
    private final Failures failures;

    /** @param table its name, for messages */
    OutboxLog(Timeline timeline, String table) {
        this.log = new BoundedLog(timeline, ExceptionDetails.FULL); // of messages it has only ids, and texts are ours
        this.failures = new Failures(table);
    }

    /** @param what could not be done */
    void noDatabase(String what, Throwable e) {
        log.fails(Kind.warn(LOG, what), e.getClass().getName(), () -> failures.warn(LOG, what, e));
    }

    /** @param what could be done */
    void databaseAnswers(String what) {
        log.works(Kind.warn(LOG, what));
    }

    /** Because the broker is away, or does not want this one. */
    void unsent(Throwable failure, String messageId, Runnable inFull) {
        if (failure instanceof ConnectionLostException || failure instanceof PublishTimeoutException) {
            log.fails(UNCONFIRMED, messageId, inFull);
        } else {
            Kind kind = Kind.warn(
                    LOG,
                    "Messages of the outbox could not be sent [failure=%s]"
                            .formatted(failure.getClass().getName()));
            log.tell(kind.upTo(MOST_A_MINUTE), messageId, inFull);
        }
    }

    void unreadable(String messageId, Runnable inFull) {
        log.tell(Kind.error(LOG, "Messages of the outbox cannot be read").upTo(MOST_A_MINUTE), messageId, inFull);
    }

    void sent() {
        log.works(UNCONFIRMED);
    }

    /** Tells what was not told by now. */
    void close() {
        log.close();
    }
}
