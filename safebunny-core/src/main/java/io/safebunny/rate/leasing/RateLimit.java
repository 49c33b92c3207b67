// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rate.leasing;

import io.safebunny.breaker.TypeBreaker;
import io.safebunny.concurrency.Permits;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.SafeTimer;
import io.safebunny.rate.HandlingRate;
import io.safebunny.rate.RateSchedule;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limit of one type: each handling waits in line for a slot, and then until its time. A slot that is not used at its time is gone. The type
 * is not consumed while those in line are enough for the next seconds. Thread-safe.
 */
public final class RateLimit {

    private static final Logger LOG = LoggerFactory.getLogger(RateLimit.class);

    /** How long a message waits in place. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** How long a message waits that is claimed by a lease. */
    private static final Duration PATIENCE_WITH_LEASE = Duration.ofSeconds(10);
    /** How long a message waits that is claimed by an open transaction. */
    private static final Duration PATIENCE_IN_TRANSACTION = Duration.ofSeconds(3);

    /** The type is not consumed while those in line last for so long, until they last for only {@link #FEW}. */
    private static final long ENOUGH = Duration.ofSeconds(5).toNanos();

    private static final long FEW = Duration.ofSeconds(2).toNanos();

    private static final Duration SOONEST = Duration.ofSeconds(1);
    private static final Duration LATEST = Duration.ofHours(1);
    /** How early a message may be claimed, so that its handler begins in time. */
    private static final long EARLIEST = Duration.ofSeconds(2).toNanos();

    private final String type;
    private final HandlingRate rate;
    private final TypeBreaker breaker;
    private final Timeline timeline;
    private final Node node;
    private final Duration patienceOfClaimed;
    private final Subject untold;
    private final SafeTimer waits;
    private final SharedSchedule schedule;
    private final Slots slots;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final AtomicInteger waiting = new AtomicInteger();
    /** Those that have no slot yet. */
    private final AtomicInteger inLine = new AtomicInteger();
    /** Of those that are not claimed, one at a time goes to the head. */
    private final Permits line = new Permits(1);
    /** Who has it takes the next slot. Claimed messages hold what others need, and stand in no other line. */
    private final Permits head = new Permits(1);
    /** How long claiming takes, about; guarded by this, as is the next one. */
    private long preparation;
    /** Whether the type is not consumed at the moment. */
    private boolean isEnough;

    RateLimit(String type, HandlingRate rate, TypeBreaker breaker, Node node) {
        this.type = type;
        this.rate = rate;
        this.breaker = breaker;
        this.node = node;
        this.timeline = node.timeline();
        this.patienceOfClaimed =
                node.store() instanceof TransactionalMessageStore ? PATIENCE_IN_TRANSACTION : PATIENCE_WITH_LEASE;
        this.untold = Subject.warn(LOG, "Other instances do not know that %s is throttled".formatted(type));
        this.schedule = new SharedSchedule(type, rate, node.store(), timeline);
        this.slots = new Slots(type, rate, schedule, node);
        this.waits = node.metrics().rateLimited(type, this::perSecond, waiting::get);
    }

    /**
     * When a message may begin.
     *
     * @param slot by the clock of the schedule
     * @param givenAt by the monotonic clock
     */
    public record Turn(long slot, long givenAt) {}

    /**
     * Waits until it is time to claim a message: at most a minute, and no longer than until the type is paused.
     *
     * @return to be given to {@link #begin}
     * @throws NotHandledException it comes back later
     */
    public Turn await() {
        Wait wait = wait(PATIENCE, CompletableFuture.anyOf(stopped, breaker.opened()));
        Long slot = ahead() > PATIENCE.toNanos() ? null : slot(wait, true);
        if (slot == null) {
            Duration ahead = Duration.ofNanos(ahead());
            throw NotHandledException.later(
                    "The rate of %s is used up".formatted(type),
                    ahead.compareTo(SOONEST) < 0 ? SOONEST : ahead.compareTo(LATEST) > 0 ? LATEST : ahead);
        }
        return new Turn(slot, timeline.nanoTime());
    }

    /**
     * Waits until the handler of a claimed message may begin: at most ten seconds, or three if the claim is an open transaction.
     *
     * @param turn {@code null} if the message has none, for example because its handler has run before
     * @return whether it may; not if the rate is used up for longer than that
     * @throws NotHandledException it comes back later
     */
    public boolean begin(@Nullable Turn turn) {
        Wait wait = wait(patienceOfClaimed, stopped);
        return (turn != null && isInTime(turn, wait)) || slot(wait, false) != null;
    }

    private Wait wait(Duration patience, CompletableFuture<?> ended) {
        return new Wait(type, Deadline.after(patience, timeline), ended, timeline);
    }

    private boolean isInTime(Turn turn, Wait wait) {
        long took = Math.min(EARLIEST, timeline.nanoTime() - turn.givenAt());
        synchronized (this) {
            preparation = (7 * preparation + took) / 8;
        }
        try {
            wait.sleep(turn.slot() - schedule.now());
        } catch (InterruptedException e) {
            throw interrupted();
        }
        return slots.isUsable(turn.slot());
    }

    /**
     * Takes a slot, and waits until its time.
     *
     * @param isClaimedNext whether the message is to be claimed first; then it waits less
     * @return {@code null} if there is none in time
     */
    private @Nullable Long slot(Wait wait, boolean isClaimedNext) {
        long begun = timeline.nanoTime();
        waiting.incrementAndGet();
        try {
            while (true) {
                long early = isClaimedNext ? preparation() : 0;
                Long slot = next(wait, early, isClaimedNext);
                if (slot == null) {
                    return null;
                }
                wait.sleep(slot - schedule.now() - early);
                if (slots.isUsable(slot)) {
                    return slot;
                }
            }
        } catch (InterruptedException e) {
            throw interrupted();
        } finally {
            waiting.decrementAndGet();
            waits.record(timeline.nanoTime() - begun, TimeUnit.NANOSECONDS);
        }
    }

    private synchronized long preparation() {
        return preparation;
    }

    private @Nullable Long next(Wait wait, long early, boolean standsInLine) throws InterruptedException {
        changeLine(1);
        try {
            if (!standsInLine) {
                return atHead(early, wait);
            }
            if (!line.acquire(wait.deadline())) {
                return null;
            }
            try {
                return atHead(early, wait);
            } finally {
                line.release();
            }
        } finally {
            changeLine(-1);
        }
    }

    private @Nullable Long atHead(long early, Wait wait) throws InterruptedException {
        if (!head.acquire(wait.deadline())) {
            return null;
        }
        try {
            return slots.next(inLine.get(), early, wait);
        } finally {
            head.release();
        }
    }

    /** Pauses the type while enough messages stand in line: others may go to other instances meanwhile. */
    private synchronized void changeLine(int by) {
        long lasts = inLine.addAndGet(by) * rate.interval();
        boolean isEnoughNow = lasts > (isEnough ? FEW : ENOUGH);
        if (isEnoughNow != isEnough) {
            isEnough = isEnoughNow;
            breaker.enough(isEnough);
        }
    }

    private NotHandledException interrupted() {
        Thread.currentThread().interrupt();
        return NotHandledException.later("A message of %s was interrupted as it waited".formatted(type), Duration.ZERO);
    }

    /** How long those take that stand in line, at least. */
    private long ahead() {
        long now = schedule.now();
        return schedule.next() - now + inLine.get() * schedule.known().step(rate, now);
    }

    /**
     * What a handler of this type needs accepts no calls for so long: nothing begins until then, on any instance, and half as much in the minute
     * after it. Beyond ten minutes only on this one, whose breaker is open.
     */
    public void throttled(Duration pause) {
        node.metrics().throttled(type);
        try {
            schedule.throttled(pause);
        } catch (RuntimeException e) { // on this instance its breaker pauses the type anyway
            node.log()
                    .tell(
                            untold,
                            type,
                            () -> LOG.warn(
                                    "Other instances do not know that {} is throttled for {}",
                                    type,
                                    pause,
                                    node.log().tellable(e)));
        }
    }

    /** Messages per second that may begin just now. */
    private double perSecond() {
        RateSchedule known = schedule.known();
        long now = schedule.now();
        if (now < known.quietUntil()) {
            return 0;
        }
        return known.isSlow(now) ? rate.perSecond() / 2 : rate.perSecond();
    }

    /** Ends all waiting. */
    void stop() {
        stopped.complete(null);
    }

    /**
     * What is known of a limit.
     *
     * @param rate as it is configured
     * @param shared whether it is that of all instances of the node together
     * @param perSecond messages that may begin just now; less than the rate while a handler is throttled, and in the minute after that
     * @param waiting messages that wait in place on this instance
     * @param paused whether the type is not consumed at the moment because enough messages wait
     */
    public record Status(String rate, boolean shared, double perSecond, int waiting, boolean paused) {}

    synchronized Status status(boolean shared) {
        return new Status(rate.toString(), shared, perSecond(), waiting.get(), isEnough);
    }
}
