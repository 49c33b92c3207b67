// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck;

import io.safebunny.bodies.BodyStore;
import io.safebunny.concurrency.RecurringTask;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes bodies that are older than anybody can ask for, once an hour. Never before: how many handle a message, nobody knows. Any number
 * of instances may do it. Thread-safe.
 */
public final class BodySweep {

    /** How often it looks. */
    public static final Duration INTERVAL = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(BodySweep.class);

    /** How many are deleted at once. */
    private static final int PORTION = 1_000;

    private final BodyStore store;
    private final Duration retention;
    private final Timeline timeline;
    private final BodyMeters meters;
    private final RecurringTask runs;
    private volatile boolean isStopped;

    public BodySweep(BodyStore store, Duration retention, Timeline timeline, BodyMeters meters, Executor executor) {
        this.store = store;
        this.retention = retention;
        this.timeline = timeline;
        this.meters = meters;
        this.runs = new RecurringTask("deleting old bodies", INTERVAL, this::run, executor, timeline);
    }

    public void start() {
        runs.start();
    }

    /** A run in progress ends with what it is deleting. */
    public void stop() {
        isStopped = true;
        runs.stop();
    }

    private void run() {
        Instant limit = timeline.now().minus(retention);
        int all = 0;
        try {
            int deleted = PORTION;
            while (deleted == PORTION && !isStopped) {
                deleted = store.deleteOlderThan(limit, PORTION);
                meters.deleted(store.name(), deleted);
                all += deleted;
            }
        } catch (IOException | RuntimeException e) {
            meters.unavailable(store.name());
            LOG.warn(
                    "Old bodies could not be deleted from store {}; it is tried again in an hour",
                    store.name(),
                    ExceptionDetails.TYPE_ONLY.logged(e));
        }
        if (all > 0) {
            LOG.info("Deleted {} bodies from store {} that were put before {}", all, store.name(), limit);
        }
    }
}
