// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordRefusedException;
import io.safebunny.spi.store.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claim that this process holds until somebody takes it over. Every write is fenced: its version is one above the last write of
 * this claim. Thread-safe: the handler's thread and the renewal share it.
 */
final class Claim {

    private static final Logger LOG = LoggerFactory.getLogger(Claim.class);

    private final MessageStore store;
    private final Timeline timeline;
    private final DedupLog log;
    // not synchronized, which would pin a virtual thread that waits for the store
    private final ReentrantLock lock = new ReentrantLock();
    private MessageRecord current;
    private volatile long writtenAt; // written under the lock
    private boolean lost;
    /** Whether a write went unanswered since the last answered one. */
    private boolean unsure;

    /** @param claimedAt monotonic time before the claim was written, so that the lease is never overestimated */
    Claim(MessageStore store, Timeline timeline, DedupLog log, MessageRecord current, long claimedAt) {
        this.store = store;
        this.timeline = timeline;
        this.log = log;
        this.current = current;
        this.writtenAt = claimedAt;
    }

    MessageRecord record() {
        lock.lock();
        try {
            return current;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tries once.
     *
     * @return whether the claim was still ours
     * @throws RuntimeException the store did not answer: it is unknown whether it was written
     */
    boolean write(UnaryOperator<MessageRecord> change) {
        lock.lock();
        try {
            return !lost && (replace(change.apply(current)) || (unsure && reconcile(change)));
        } finally {
            lock.unlock();
        }
    }

    private boolean replace(MessageRecord intended) {
        long now = timeline.nanoTime();
        MessageRecord written;
        try {
            written = store.replace(intended);
        } catch (RuntimeException e) {
            unsure |= !(e instanceof RecordRefusedException);
            throw e;
        }
        if (written != null) {
            current = written;
            writtenAt = now;
            unsure = false;
        }
        lost = written == null;
        return !lost;
    }

    /** After an unanswered write: the version in the way may be our own. */
    private boolean reconcile(UnaryOperator<MessageRecord> change) {
        lost = false; // not known yet, and the find may fail too
        MessageRecord stored = store.find(current.key());
        unsure = false;
        if (stored != null && stored.owner().equals(current.owner())) {
            boolean written = stored.isSameWriteAs(change.apply(current));
            current = stored;
            if (written) {
                return true;
            }
            if (stored.state() == RecordState.CLAIMED) {
                return replace(change.apply(current));
            }
        }
        lost = true;
        return false;
    }

    /**
     * Retries until the lease runs out, because what the write records has already happened.
     *
     * @return whether the claim was still ours
     * @throws RuntimeException the last failure of the store
     */
    boolean writeSurely(UnaryOperator<MessageRecord> change) {
        lock.lock();
        try {
            long deadline = writtenAt + current.lease().toNanos();
            while (true) {
                try {
                    return write(change);
                } catch (RecordRefusedException e) {
                    throw e;
                } catch (RuntimeException e) {
                    Duration left = Duration.ofNanos(deadline - timeline.nanoTime());
                    if (left.compareTo(StorePause.SHORTEST) <= 0) {
                        throw e;
                    }
                    log.noAnswer(current.key().messageId(), "retrying to write its record", e);
                    StorePause.pause(timeline, e, left);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether the last write was at least that long ago. Never blocks. */
    boolean isOlderThan(Duration age) {
        return timeline.nanoTime() - writtenAt >= age.toNanos();
    }

    /**
     * Renews the claim unless it was written more recently than {@code age}. Skipped while a write is in progress, which renews
     * the claim too.
     */
    void renew(Duration age) {
        if (!lock.tryLock()) {
            return;
        }
        try {
            if (lost || current.state() != RecordState.CLAIMED || timeline.nanoTime() - writtenAt < age.toNanos()) {
                return;
            }
            if (!write(claimed -> claimed.next(RecordState.CLAIMED))) {
                String id = current.key().messageId();
                log.tell(
                        Kind.warn(LOG, "Claims were taken over while their handlers run"),
                        id,
                        () -> LOG.warn(
                                "The claim of message {} was taken over while its handler runs: its publications will be dropped",
                                id));
            }
        } finally {
            lock.unlock();
        }
    }

    /** @throws NotHandledException the claim was taken over or its lease has run out, so others no longer respect it */
    void requireAlive() {
        lock.lock();
        try {
            if (lost || timeline.nanoTime() - writtenAt >= current.lease().toNanos()) {
                throw lost();
            }
        } finally {
            lock.unlock();
        }
    }

    NotHandledException lost() {
        return NotHandledException.later(
                "Lost the claim of message %s while handling it: its publications are dropped, the new owner's stand"
                        .formatted(record().key().messageId()),
                Duration.ZERO);
    }
}
