// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.lease;

import io.safebunny.concurrency.RecurringTask;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the claims of long-running handlers, in parallel, so that a slow store does not let claims expire while others are
 * renewed. Looks twelve times per lease for claims older than a third of it. Each look starts up to sixteen renewals at once;
 * claims left over because those take long are due at the next look, which starts as many again. A claim has at most one renewal
 * in progress. Thread-safe.
 */
final class Renewals {

    private static final Logger LOG = LoggerFactory.getLogger(Renewals.class);

    private static final int AT_ONCE = 16;

    private final Executor blocking;
    private final DedupLog log;
    private final Duration age;
    private final RecurringTask looks;
    /** In the order of ownership, in which they are renewed: that of a hash set differs from run to run. */
    private final Set<LeasedRecord> held = Collections.synchronizedSet(new LinkedHashSet<>());

    private final Set<LeasedRecord> underWay = ConcurrentHashMap.newKeySet();

    /** @param blocking runs the renewals, which wait for the store */
    Renewals(Timeline timeline, Executor blocking, Duration lease, DedupLog log) {
        this.blocking = blocking;
        this.log = log;
        this.age = lease.dividedBy(3);
        this.looks = new RecurringTask("renewing claims", lease.dividedBy(12), this::look, Runnable::run, timeline);
    }

    void add(LeasedRecord claim) {
        held.add(claim);
    }

    void remove(LeasedRecord claim) {
        held.remove(claim);
    }

    void start() {
        looks.start();
    }

    void stop() {
        looks.stop();
    }

    /** Runs on the timeline's thread, which must not be blocked. */
    private void look() {
        ConcurrentLinkedQueue<LeasedRecord> due = new ConcurrentLinkedQueue<>();
        int count = 0;
        for (LeasedRecord claim : held.toArray(LeasedRecord[]::new)) {
            if (!underWay.contains(claim) && claim.isOlderThan(age)) {
                due.add(claim);
                count++;
            }
        }
        try {
            for (int thread = 0; thread < Math.min(count, AT_ONCE); thread++) {
                blocking.execute(() -> renewAll(due));
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("No thread to renew {} claims; the next look tries again", count, e);
        }
    }

    private void renewAll(ConcurrentLinkedQueue<LeasedRecord> due) {
        for (LeasedRecord claim = due.poll(); claim != null; claim = due.poll()) {
            if (underWay.add(claim)) { // otherwise a later look already renews it
                try {
                    renew(claim);
                } finally {
                    underWay.remove(claim);
                }
            }
        }
    }

    private void renew(LeasedRecord claim) {
        try {
            claim.renew(age);
        } catch (RecordRefusedException e) {
            remove(claim);
            String id = claim.record().key().messageId();
            log.tell(
                    Subject.warn(LOG, "Claims cannot be renewed"),
                    id,
                    () -> LOG.warn(
                            "The claim of message {} cannot be renewed; it ends with its lease, perhaps before the handler returns",
                            id,
                            log.tellable(e)));
        } catch (RuntimeException e) {
            log.noAnswer("a claim", "it will be renewed later", e);
        }
    }
}
