// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.spi.store.RecordRefusedException;
import io.safebunny.time.Timeline;
import io.safebunny.work.RecurringTask;
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
 * Renews the claims of handlers that run long, side by side, so that a store that is slow with each of them does not let others
 * expire. Looks twelve times per lease; a claim is due after a third of it. One renewal of a claim is under way at a time. A
 * look begins sixteen at most at once; who is left over because those take long is due at the next one, which begins as many
 * again. Thread-safe.
 */
final class Renewals {

    private static final Logger LOG = LoggerFactory.getLogger(Renewals.class);

    private static final int AT_ONCE = 16;

    private final Executor blocking;
    private final DedupLog log;
    private final Duration age;
    private final RecurringTask looks;
    /** In the order of claiming, in which they are renewed: that of a hash set differs from run to run. */
    private final Set<Claim> held = Collections.synchronizedSet(new LinkedHashSet<>());

    private final Set<Claim> underWay = ConcurrentHashMap.newKeySet();

    /** @param blocking runs what waits for the store */
    Renewals(Timeline timeline, Executor blocking, Duration lease, DedupLog log) {
        this.blocking = blocking;
        this.log = log;
        this.age = lease.dividedBy(3);
        this.looks = new RecurringTask("renewing claims", lease.dividedBy(12), this::look, Runnable::run, timeline);
    }

    void add(Claim claim) {
        held.add(claim);
    }

    void remove(Claim claim) {
        held.remove(claim);
    }

    void start() {
        looks.start();
    }

    void stop() {
        looks.stop();
    }

    /** On the timeline's thread, which must not be blocked. */
    private void look() {
        ConcurrentLinkedQueue<Claim> due = new ConcurrentLinkedQueue<>();
        int count = 0;
        for (Claim claim : held.toArray(Claim[]::new)) {
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

    private void renewAll(ConcurrentLinkedQueue<Claim> due) {
        for (Claim claim = due.poll(); claim != null; claim = due.poll()) {
            if (underWay.add(claim)) { // else the look after this one was faster
                try {
                    renew(claim);
                } finally {
                    underWay.remove(claim);
                }
            }
        }
    }

    private void renew(Claim claim) {
        try {
            claim.renew(age);
        } catch (RecordRefusedException e) {
            remove(claim);
            String id = claim.record().key().messageId();
            log.tell(
                    Kind.warn(LOG, "Claims cannot be renewed"),
                    id,
                    () -> LOG.warn(
                            "The claim of message {} cannot be renewed; it ends with its lease, perhaps before its handler does",
                            id,
                            log.tellable(e)));
        } catch (RuntimeException e) {
            log.noAnswer("a claim", "it is renewed later", e);
        }
    }
}
