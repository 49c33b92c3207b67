// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.observation.BoundedLog.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which attempt of its message a delivery is: the record knows, and the header only claims to. Thread-safe. */
final class Attempts {

    private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);

    private final DedupLog log;

    Attempts(DedupLog log) {
        this.log = log;
    }

    /**
     * The larger count is right: of two copies of a message each knows only its own retries. But only the end of one attempt can have
     * been kept from the record, and what says more may come from anybody.
     *
     * @param known to the record, 0 without one
     */
    static int believed(Envelope message, int known) {
        return Math.max(known, Math.min(message.attempt(), known + 1));
    }

    /** The handling goes on as this attempt, whatever the header of its message says. */
    void resume(Handling handling, int attempt) {
        int said = handling.message().attempt();
        if (said > attempt) {
            String id = handling.message().id();
            log.tell(
                    Kind.info(LOG, "Messages say they are retries that their records do not know"),
                    id,
                    () -> LOG.info(
                            "Message {} says it is retry {}, which its record does not know: it goes on as retry {}",
                            id,
                            said,
                            attempt));
        }
        handling.setAttempt(attempt);
    }
}
