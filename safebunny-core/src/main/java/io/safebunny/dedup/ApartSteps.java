// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.message.Envelope;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.spi.store.Fingerprint;
import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.StoreUnavailableException;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Steps of a message whose record is part of the handler's transaction. That transaction may roll back, but what a step did stays
 * done, so steps are kept in a companion record that is written in separate transactions. Confined to one thread.
 */
final class ApartSteps {

    private static final int MOST_TRIES = 10;

    /** Fingerprint of steps stored by earlier versions, which kept none. */
    private static final Fingerprint UNKNOWN = new Fingerprint(Fingerprint.CHECKSUMS, 0, 0);

    private final TransactionalMessageStore store;
    private final Timeline timeline;
    private final DedupLog log;
    private final MessageRecord claim;
    private final RecordKey key;
    private final ClaimingTransaction transaction;
    private boolean loaded;
    private @Nullable MessageRecord record;

    /** @param transaction the transaction that holds the claim; as long as it does, nobody else stores steps of the message */
    ApartSteps(
            TransactionalMessageStore store,
            Timeline timeline,
            DedupLog log,
            MessageRecord claim,
            ClaimingTransaction transaction) {
        this.store = store;
        this.timeline = timeline;
        this.log = log;
        this.claim = claim;
        this.key = key(claim.key());
        this.transaction = transaction;
    }

    /** Key of the companion record with the steps of a message. */
    static RecordKey key(RecordKey message) {
        return message.companion("steps");
    }

    static boolean isOf(Envelope message, MessageRecord steps) {
        return steps.fingerprint().equals(UNKNOWN) || steps.fingerprint().isOf(message);
    }

    /**
     * The next write of the steps of a message that is set aside: they are kept as long as its record.
     *
     * @param steps as stored; {@code null} if there are none
     * @return {@code null} when there is nothing to write
     */
    static @Nullable MessageRecord poisoned(Envelope message, @Nullable MessageRecord steps) {
        return steps == null || !isOf(message, steps) ? null : steps.next(RecordState.POISONED);
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
            record = store.apart(() -> store.find(key));
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
            MessageRecord found = store.apart(() -> store.find(key));
            if (found != null && !found.fingerprint().equals(UNKNOWN)) {
                transaction.requireStepsAreOurs(found);
            }
            record = found;
            loaded = true;
        }
        return record == null ? null : record.steps().get(name);
    }

    void store(String name, String json) {
        Map<String, String> steps = new LinkedHashMap<>(record == null ? Map.of() : record.steps());
        steps.put(name, json);
        record = writeSurely(record == null ? first(steps) : record.nextSteps(claim.owner(), steps));
        if (record == null) {
            throw NotHandledException.later(
                    "Another delivery of message %s has stored steps".formatted(key.messageId()), Duration.ZERO);
        }
    }

    /**
     * Retries a few times, because the step has already been run. If an earlier try was committed but its answer was lost,
     * recognises its own write.
     *
     * @return {@code null} when another delivery has written in between
     */
    private @Nullable MessageRecord writeSurely(MessageRecord next) {
        for (int tries = 1; ; tries++) {
            try {
                if (store.apart(() -> store.writeTogether(List.of(next))) instanceof JointWrite.Written written) {
                    return written.records().get(0);
                }
                MessageRecord stored = store.apart(() -> store.find(key));
                return stored != null && stored.isSameWriteAs(next) ? stored : null;
            } catch (StoreUnavailableException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
                log.noAnswer(key.messageId(), "retrying to write its steps", e);
            }
            StorePause.pause(timeline);
        }
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
