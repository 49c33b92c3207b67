// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.dedup.claim.StoreFailures;
import io.safebunny.dedup.claim.StoredSteps;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.store.JointWrite;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of a message whose record is part of the handler's transaction. That transaction may roll back, but what a step did stays
 * done, so steps are kept in a companion record that is written in separate transactions. Confined to one thread.
 *
 * <p>While the transaction is open, such a write may wait for what the transaction itself holds up, which no database notices. So
 * it is given up soon, the handling ends, and what could not be written is written after the rollback: {@link #writeLeftOver}.
 */
final class ApartSteps {

    private static final Logger LOG = LoggerFactory.getLogger(ApartSteps.class);

    /** Within which a write is begun once more while the handler's transaction is open. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final TransactionalMessageStore store;
    private final Timeline timeline;
    private final DedupLog log;
    private final MessageRecord claim;
    private final RecordKey key;
    private final HandlerTransaction transaction;
    private boolean loaded;
    private @Nullable MessageRecord record;
    /** The results of steps that have been run, as far as it is not known that they are stored. */
    private @Nullable MessageRecord leftOver;

    /** @param transaction the transaction that holds the claim; as long as it does, nobody else stores steps of the message */
    ApartSteps(
            TransactionalMessageStore store,
            Timeline timeline,
            DedupLog log,
            MessageRecord claim,
            HandlerTransaction transaction) {
        this.store = store;
        this.timeline = timeline;
        this.log = log;
        this.claim = claim;
        this.key = StoredSteps.key(claim.key());
        this.transaction = transaction;
    }

    /** The earlier place is asked in the handler's transaction, which is in nobody's way there: it has that table already. */
    private @Nullable MessageRecord find() {
        MessageRecord steps = store.apart(() -> store.find(key));
        return steps != null ? steps : store.find(StoredSteps.earlierKey(claim.key()));
    }

    /**
     * The next write of the steps of a message that was set aside, and is complete now: they are kept as long as any others.
     *
     * @param replayed whether they are to be read if no step has asked for them
     * @return {@code null} when there is nothing to write
     */
    @Nullable
    MessageRecord handled(boolean replayed) {
        if (!loaded && replayed) {
            record = find();
            loaded = true;
        }
        return record == null || record.state() != RecordState.POISONED ? null : record.next(RecordState.DISPATCHED);
    }

    /** Makes the next {@link #find} read the steps again. */
    void forget() {
        loaded = false;
    }

    @Nullable
    String find(String name) {
        transaction.requireClaimIsHeld();
        if (!loaded) {
            MessageRecord found = find();
            if (found != null && !StoredSteps.isUnsigned(found)) {
                transaction.requireStepsAreOurs(found);
            }
            record = found;
            loaded = true;
        }
        String known = record == null ? null : record.steps().get(name);
        // where the message was begun before the store was transactional, they are in its own record
        return known != null ? known : claim.steps().get(name);
    }

    /**
     * Returns once the result is durable.
     *
     * @throws NotHandledException it could not be written in time ({@link #writeLeftOver} writes it after
     * the rollback), or another delivery has stored steps
     * @throws RuntimeException the same, because the store does not answer
     */
    void store(String name, String json) {
        Map<String, String> steps = new LinkedHashMap<>(record == null ? Map.of() : record.steps());
        steps.put(name, json);
        MessageRecord next =
                record == null || !record.key().equals(key) ? first(steps) : record.nextSteps(claim.owner(), steps);
        long began = timeline.nanoTime();
        while (!isWritten(next, e -> requirePatience(next, e, began))) {
            StoreFailures.pause(timeline);
        }
    }

    private void requirePatience(MessageRecord next, RuntimeException e, long began) {
        if (!(e instanceof StoreUnavailableException unavailable)) { // nor would it be stored later
            leftOver = null;
            throw e;
        }
        leftOver = next;
        if (unavailable.retryAfter() != null) {
            throw NotHandledException.later(
                    "The result of a step of message %s could not be stored in time: it is stored as soon as the handler's transaction is rolled back, and the message comes back"
                            .formatted(claim.key().messageId()),
                    Duration.ZERO);
        }
        if (timeline.nanoTime() - began >= PATIENCE.toNanos()) {
            throw e;
        }
    }

    /**
     * Writes what {@link #store} could not, for as long as the message is ours: whoever gets it next must find it. To be called
     * after the rollback, when nobody waits for us any more.
     *
     * @throws NotHandledException another delivery has stored steps, or the process is stopping
     */
    void writeLeftOver(BooleanSupplier isOurs) {
        MessageRecord next = leftOver;
        if (next == null) {
            return;
        }
        boolean written = false;
        try {
            written = isWritten(next, ApartSteps::requirePassing);
            while (!written && isOurs.getAsBoolean()) {
                StoreFailures.pause(timeline);
                written = isWritten(next, ApartSteps::requirePassing);
            }
        } finally {
            if (!written) {
                String id = claim.key().messageId();
                log.tell(
                        Subject.error(LOG, "Results of steps were lost"),
                        id,
                        () -> LOG.error(
                                "The result of a step of message {} is lost: the store refuses it, it could not be stored before the delivery ended, or another delivery has stored steps by now. Whoever handles the message next may run the step again",
                                id));
            }
        }
    }

    private static void requirePassing(RuntimeException failure) {
        if (!(failure instanceof StoreUnavailableException)) {
            throw failure;
        }
    }

    /**
     * Tries once. An earlier try may have been committed although its answer was lost; then it finds its own write, and that counts.
     *
     * @param unanswered gets the failure, and throws unless there is to be another try
     * @throws NotHandledException another delivery has written in between
     */
    private boolean isWritten(MessageRecord next, Consumer<RuntimeException> unanswered) {
        MessageRecord stored;
        try {
            JointWrite result = store.apart(() -> store.writeTogether(List.of(next)));
            stored = result instanceof JointWrite.Written written
                    ? written.records().get(0)
                    : store.apart(() -> store.find(key));
        } catch (RuntimeException e) {
            unanswered.accept(e);
            log.noAnswer(claim.key().messageId(), "retrying to write its steps", e);
            return false;
        }
        leftOver = null;
        if (stored == null || !stored.isSameWriteAs(next)) {
            throw NotHandledException.later(
                    "Another delivery of message %s has stored steps".formatted(key.messageId()), Duration.ZERO);
        }
        record = stored;
        return true;
    }

    /** Created in a final state, so that it expires like the message's own record. */
    private MessageRecord first(Map<String, String> steps) {
        return new MessageRecord(
                key,
                RecordState.DISPATCHED,
                claim.owner(),
                1,
                0,
                0,
                Duration.ZERO,
                claim.fingerprint(),
                steps,
                List.of(),
                null,
                null);
    }
}
