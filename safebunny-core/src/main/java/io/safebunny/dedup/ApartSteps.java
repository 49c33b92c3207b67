// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

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
 * Steps of a message whose own record is part of the handler's transaction, which may roll back while what a step did stays
 * done. They are in a companion of it, written in transactions of their own.
 */
final class ApartSteps {

    private static final int MOST_TRIES = 10;

    /** Earlier versions of the library kept steps without a fingerprint. */
    private static final Fingerprint UNKNOWN = new Fingerprint(Fingerprint.CHECKSUMS, 0, 0);

    private final TransactionalMessageStore store;
    private final Timeline timeline;
    private final DedupLog log;
    private final MessageRecord claim;
    private final RecordKey key;
    private final ClaimingTransaction transaction;
    private boolean loaded;
    private @Nullable MessageRecord record;

    /** @param transaction holds the claim: only while it does nobody else stores steps of the message */
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

    /** Where those of a message are. */
    static RecordKey key(RecordKey message) {
        return message.companion("steps");
    }

    static boolean isOf(Envelope message, MessageRecord steps) {
        return steps.fingerprint().equals(UNKNOWN) || steps.fingerprint().isOf(message);
    }

    /** Reads them again before the next one. */
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
     * Tries a few times, because the step has been run; after an answer that got lost, its repeat finds what it has written itself.
     *
     * @return {@code null} when somebody else wrote in between
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
                log.noAnswer(key.messageId(), "its steps are written again", e);
            }
            StorePause.pause(timeline);
        }
    }

    /** In a final state from the beginning, so that it expires with the message's own record. */
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
                null);
    }
}
