// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.safebunny.observation.Metrics;
import io.safebunny.time.Timeline;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outcomes of the transactions that messages of one handler shared. After several failures in a row no transactions are shared for a
 * while, because each message of a failed one runs twice. Thread-safe.
 */
public final class SharedOutcomes {

    private static final Logger LOG = LoggerFactory.getLogger(SharedOutcomes.class);

    private static final int MOST_FAILURES = 5;
    private static final Duration REST = Duration.ofMinutes(1);

    private final Metrics metrics;
    private final Timeline timeline;
    private final String type;
    private final String handler;
    private int failures;
    private volatile boolean hasRested;
    private volatile long restsUntil;

    /** @param handler its description, for the log */
    public SharedOutcomes(Metrics metrics, Timeline timeline, String type, String handler) {
        this.metrics = metrics;
        this.timeline = timeline;
        this.type = type;
        this.handler = handler;
    }

    /** Registers the meters, if messages share transactions. */
    public void register() {
        metrics.registerShared(type);
    }

    /** Whether transactions are not shared for now, because too many have failed. */
    public boolean isResting() {
        return hasRested && timeline.nanoTime() - restsUntil < 0;
    }

    /** @param isBroken whether the transaction has failed; otherwise the messages that were not committed have left it */
    public void counts(int messages, int committed, boolean isBroken) {
        metrics.shared(type, "committed", committed);
        metrics.shared(type, isBroken ? "broken" : "left", messages - committed);
    }

    /** Called once for what was delivered together. */
    public void ended(boolean isCommitted, boolean isBroken) {
        if (isBroken) {
            failed();
        } else if (isCommitted) {
            succeeded();
        }
    }

    private synchronized void succeeded() {
        failures = 0;
    }

    private synchronized void failed() {
        failures++;
        if (failures < MOST_FAILURES) {
            return;
        }
        restsUntil = timeline.nanoTime() + REST.toNanos();
        hasRested = true;
        if (failures == MOST_FAILURES) {
            LOG.warn(
                    "Each message of {} has a transaction of its own for a minute, and again after each failure that follows, because {} shared ones have failed in a row [handler={}]. Check the warnings before for the cause (lost sessions, constraints checked at the commit, a handler that commits or rolls back itself, too much for one transaction), or lower messagesPerTransaction or batchSize",
                    type,
                    failures,
                    handler);
        }
    }
}
