// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rate.leasing;

import io.safebunny.concurrency.ReentrantTurns;
import io.safebunny.identity.RandomIds;
import io.safebunny.rate.HandlingRate;
import io.safebunny.rate.RateSchedule;
import io.safebunny.rate.RateSchedule.Lease;
import io.safebunny.store.MessageStore;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The schedule of one type, in a record of its own that each write replaces if nobody else has; in memory if there is no store.
 *
 * <p>Its clock is the fastest one that has ever changed it: whoever reads that it was changed in what it believes to be the future has a slow
 * clock, and goes by that from then on. Between two reads each instance measures time by its monotonic clock, so that steps of the wall clock
 * change nothing. Thread-safe.
 */
final class SharedSchedule {

    private static final String FORMAT = "1";
    private static final int TRIES = 20;
    private static final long MOST_BETWEEN_TRIES = Duration.ofMillis(20).toNanos();

    private final RecordKey key;
    private final HandlingRate rate;
    private final @Nullable MessageStore store;
    private final Timeline timeline;

    /** Held while the schedule is read and written. */
    private final ReentrantTurns turns;

    /** What was last read or written; {@code null} if that is to be read again. Changed in turns, like the fields below. */
    private @Nullable MessageRecord stored;

    private volatile RateSchedule schedule = RateSchedule.UNUSED;
    /** From the monotonic clock to that of the schedule; never decreases. */
    private volatile long offset;

    /** @param store {@code null} for none */
    SharedSchedule(String type, HandlingRate rate, @Nullable MessageStore store, Timeline timeline) {
        // cannot clash with a message or a saga, because names of sagas have no dot
        this.key = RecordKey.companion("bunny.rate." + type, "bunny.rate");
        this.rate = rate;
        this.store = store;
        this.timeline = timeline;
        this.turns = new ReentrantTurns(timeline);
        Instant now = timeline.now();
        this.offset = now.getEpochSecond() * 1_000_000_000 + now.getNano() - timeline.nanoTime();
    }

    /** By the clock of the schedule. */
    long now() {
        return timeline.nanoTime() + offset;
    }

    /** As far as this instance knows. */
    RateSchedule known() {
        return schedule;
    }

    /** The earliest time that nobody has, as far as this instance knows: it may have gone, but no earlier one comes. */
    long next() {
        return schedule.next(rate, now());
    }

    /**
     * Leases times.
     *
     * @param near how far away the first may be
     * @return {@code null} if it is further away, or others kept changing the schedule
     * @throws RuntimeException the store does not answer
     */
    @Nullable
    Lease lease(int most, long near) {
        return change(now -> schedule.lease(rate, now, most, now + near));
    }

    /** @throws RuntimeException the store does not answer */
    void throttled(Duration pause) {
        @Nullable Lease unused = change(now -> new Lease(0, 0, 0, schedule.throttled(now, pause)));
    }

    private @Nullable Lease change(LongFunction<@Nullable Lease> change) {
        turns.lock();
        try {
            return changeInTurn(change);
        } finally {
            turns.unlock();
        }
    }

    private @Nullable Lease changeInTurn(LongFunction<@Nullable Lease> change) {
        for (int tries = 0; tries < TRIES; tries++) {
            if (store != null && (stored == null || tries > 0)) {
                read(TransactionalMessageStore.apart(store, () -> store.find(key)));
            }
            Lease lease = change.apply(now());
            if (lease == null) {
                return null;
            }
            if (store == null || write(store, lease.after())) {
                schedule = lease.after();
                return lease;
            }
            pause();
        }
        return null;
    }

    private boolean write(MessageStore target, RateSchedule next) {
        String owner = RandomIds.next(timeline.random());
        MessageRecord write = record(owner, next);
        boolean isNew = stored == null;
        stored = null; // if this write is in doubt, read what has come of it
        MessageRecord written =
                TransactionalMessageStore.apart(target, () -> isNew ? target.create(write) : target.replace(write));
        if (written == null || !written.owner().equals(owner)) {
            return false;
        }
        stored = written;
        return true;
    }

    /** Records in the state RELEASED never expire. */
    private MessageRecord record(String owner, RateSchedule next) {
        Map<String, String> content = Map.of(
                "format",
                FORMAT,
                "last",
                Long.toString(next.last()),
                "changedAt",
                Long.toString(next.changedAt()),
                "quietUntil",
                Long.toString(next.quietUntil()));
        return stored == null
                ? MessageRecord.companion(key, owner, null, content)
                : stored.nextContent(RecordState.RELEASED, owner, null, content);
    }

    private void read(@Nullable MessageRecord found) {
        stored = found;
        schedule = found == null ? RateSchedule.UNUSED : schedule(found);
        offset = Math.max(offset, schedule.changedAt() - timeline.nanoTime());
    }

    private RateSchedule schedule(MessageRecord found) {
        Map<String, String> content = found.steps();
        if (!FORMAT.equals(content.get("format"))) {
            throw new UnreadableRecordException(key, "schedule of format " + content.get("format"), null);
        }
        try {
            return new RateSchedule(
                    Long.parseLong(content.getOrDefault("last", "")),
                    Long.parseLong(content.getOrDefault("changedAt", "")),
                    Long.parseLong(content.getOrDefault("quietUntil", "")));
        } catch (NumberFormatException e) {
            throw new UnreadableRecordException(key, "schedule", e);
        }
    }

    /** So that those who have met do not meet again. */
    private void pause() {
        try {
            timeline.sleep(Duration.ofNanos(timeline.random().nextLong(MOST_BETWEEN_TRIES)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
