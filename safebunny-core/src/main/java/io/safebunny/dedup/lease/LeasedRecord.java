// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.lease;

import io.safebunny.concurrency.ReentrantTurns;
import io.safebunny.dedup.claim.RecordWrites;
import io.safebunny.dedup.claim.StoreFailures;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claim that this process holds until somebody takes it over. Every write is fenced: its version is one above the last write of
 * this claim. Thread-safe: the handler's thread and the renewal share it.
 */
final class LeasedRecord {

    private static final Logger LOG = LoggerFactory.getLogger(LeasedRecord.class);

    private final MessageStore store;
    private final Timeline timeline;
    private final DedupLog log;
    // not synchronized, which would pin a virtual thread that waits for the store
    private final ReentrantTurns lock;
    private MessageRecord current;
    private volatile long writtenAt; // written under the lock
    private boolean lost;
    /** Whether a write went unanswered since the last answered one. */
    private boolean unsure;

    /** @param claimedAt monotonic time before the claim was written, so that the lease is never overestimated */
    LeasedRecord(MessageStore store, Timeline timeline, DedupLog log, MessageRecord current, long claimedAt) {
        this.store = store;
        this.timeline = timeline;
        this.lock = new ReentrantTurns(timeline);
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
            return writeTogether(change, List.of()) instanceof JointWrite.Written;
        } finally {
            lock.unlock();
        }
    }

    boolean isUnsure() {
        lock.lock();
        try {
            return unsure;
        } finally {
            lock.unlock();
        }
    }

    private JointWrite replace(MessageRecord intended, List<MessageRecord> companions) {
        long now = timeline.nanoTime();
        JointWrite result;
        try {
            result = RecordWrites.write(store, intended, companions);
        } catch (RuntimeException e) {
            unsure |= !(e instanceof RecordRefusedException);
            throw e;
        }
        if (result instanceof JointWrite.Written written) {
            current = written.records().get(0);
            writtenAt = now;
            unsure = false;
        } else {
            lost = !RecordWrites.isCompanionOvertaken(result, intended.key());
        }
        return result;
    }

    /**
     * Tries once to write the claim together with companions, all or nothing.
     *
     * @return overtaken by this record's key when the claim is somebody else's
     * @throws RuntimeException the store did not answer: it is unknown whether it was written
     */
    JointWrite writeTogether(UnaryOperator<MessageRecord> change, List<MessageRecord> companions) {
        lock.lock();
        try {
            if (lost) {
                return new JointWrite.Overtaken(current.key());
            }
            boolean doubtful = unsure;
            JointWrite result = replace(change.apply(current), companions);
            return result instanceof JointWrite.Written || !doubtful ? result : reconcile(change, companions);
        } finally {
            lock.unlock();
        }
    }

    /** Like {@link #writeSurely(UnaryOperator)}, with companions. */
    JointWrite writeTogetherSurely(UnaryOperator<MessageRecord> change, List<MessageRecord> companions) {
        return surely(() -> writeTogether(change, companions));
    }

    /** After an unanswered write: the version in the way may be our own. */
    private JointWrite reconcile(UnaryOperator<MessageRecord> change, List<MessageRecord> companions) {
        lost = false; // not known yet, and the find may fail too
        MessageRecord stored = store.find(current.key());
        unsure = false;
        if (stored != null && stored.owner().equals(current.owner())) {
            boolean written = stored.isSameWriteAs(change.apply(current));
            current = stored;
            if (written) {
                return new JointWrite.Written(List.of(stored));
            }
            if (stored.state() == RecordState.CLAIMED) {
                return replace(change.apply(current), companions);
            }
        }
        lost = true;
        return new JointWrite.Overtaken(current.key());
    }

    /**
     * Retries until the lease runs out, because what the write records has already happened.
     *
     * @return whether the claim was still ours
     * @throws RuntimeException the last failure of the store
     */
    boolean writeSurely(UnaryOperator<MessageRecord> change) {
        return surely(() -> write(change));
    }

    private <T> T surely(Supplier<T> write) {
        lock.lock();
        try {
            long deadline = writtenAt + current.lease().toNanos();
            while (true) {
                try {
                    return write.get();
                } catch (RecordRefusedException e) {
                    throw e;
                } catch (RuntimeException e) {
                    Duration left = Duration.ofNanos(deadline - timeline.nanoTime());
                    if (left.compareTo(StoreFailures.SHORTEST_PAUSE) <= 0) {
                        throw e;
                    }
                    log.noAnswer(current.key().messageId(), "retrying to write its record", e);
                    StoreFailures.pause(timeline, e, left);
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
                        Subject.warn(LOG, "Claims were taken over while their handlers run"),
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
