// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rate.leasing;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.rate.HandlingRate;
import io.safebunny.rate.RateSchedule.Lease;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots that this instance has leased: times at which a message may begin to be handled. Leases none before its time is near, so that those
 * who need slots more can have them, and half a second's at most. One thread at a time takes.
 */
final class Slots {

    private static final Logger LOG = LoggerFactory.getLogger(Slots.class);

    private static final long BLOCK = Duration.ofMillis(500).toNanos();
    private static final long NEAR = Duration.ofMillis(250).toNanos();
    /** After a lease that was used entirely; that costs less than 2 % of the slots if it is more than this instance can use. */
    private static final double GROWTH = 1.03;

    private static final Duration COMES_BACK = Duration.ofSeconds(5);

    private final String type;
    private final SharedSchedule schedule;
    private final BoundedLog log;
    private final Subject unanswered;
    private final int largest;
    private final long tolerance;

    /** What is left of the lease. */
    private int left;

    private long next;
    private long step;
    /** How many slots of one lease this instance can use, as far as it has tried. */
    private double usable;

    private int leased;
    private int wasted;

    Slots(String type, HandlingRate rate, SharedSchedule schedule, Node node) {
        this.type = type;
        this.log = node.log();
        this.unanswered = Subject.warn(LOG, "The rate of %s cannot be read".formatted(type));
        this.schedule = schedule;
        this.largest = (int) Math.max(1, BLOCK / rate.interval());
        this.tolerance = rate.tolerance();
    }

    /**
     * Waits until the next slot is near.
     *
     * @param wanted slots that are certainly used: as many as messages wait for one
     * @param early how long before its time it is needed
     * @return its time by the clock of the schedule; {@code null} if it is too far away
     * @throws NotHandledException the store does not say, or nothing begins any more
     */
    @Nullable
    Long next(int wanted, long early, Wait wait) throws InterruptedException {
        while (wait.sleeps(left > 0 ? 0 : schedule.next() - NEAR - early - schedule.now())) {
            if (left == 0) {
                lease(wanted, NEAR + early);
            }
            for (; left > 0; left--) {
                long slot = next;
                next += step;
                if (isUsable(slot)) {
                    left--;
                    return slot;
                }
                wasted++;
            }
        }
        return null;
    }

    /** Whether a message may begin now that has this slot: it has not passed, and nobody was throttled meanwhile. */
    boolean isUsable(long slot) {
        return schedule.now() - slot <= tolerance && slot >= schedule.known().quietUntil();
    }

    private void lease(int wanted, long near) {
        if (leased > 0) {
            usable = wasted > 0 ? leased - wasted : Math.min(largest, Math.max(usable, leased) * GROWTH);
            leased = 0;
            wasted = 0;
        }
        Lease lease;
        try {
            lease = schedule.lease(Math.min(largest, Math.max(wanted, (int) usable)), near);
        } catch (RuntimeException e) {
            throw noAnswer(e);
        }
        if (lease != null) {
            leased = lease.count();
            left = leased;
            next = lease.first();
            step = lease.step();
        }
    }

    private NotHandledException noAnswer(RuntimeException e) {
        log.tell(
                unanswered,
                type,
                () -> LOG.warn(
                        "The rate of {} cannot be read; its messages come back until it can", type, log.tellable(e)));
        if (e instanceof UnreadableRecordException) {
            return NotHandledException.trouble(
                    "The rate of %s was stored by a newer version of SafeBunny".formatted(type), COMES_BACK);
        }
        if (e instanceof StoreUnavailableException unavailable && unavailable.retryAfter() != null) {
            return NotHandledException.throttled(
                    "The store asks for patience: " + unavailable.messageWithoutCode(), unavailable.retryAfter());
        }
        return NotHandledException.trouble("The store did not answer for the rate of " + type, COMES_BACK);
    }
}
