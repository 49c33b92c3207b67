// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.dedup.claim.RecordRules;
import io.safebunny.dedup.claim.RecordWrites;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Retried;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.PoisonRecord;
import io.safebunny.failure.policy.PoisonRecord.By;
import io.safebunny.handling.Handling;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records what becomes of a message whose transaction is rolled back, in a write of its own: by then nothing keeps other deliveries
 * from having the message. Confined to one thread.
 */
final class WriteAfterRollback {

    private static final Duration IN_DOUBT_COMES_BACK = Duration.ofSeconds(5);

    /** What is known of the commit of the transaction that is rolled back. */
    enum Commit {
        NOT_TRIED,
        /** A claim that is stored may be a completion. */
        TRIED,
        /** It was not answered, and may still be carried out. */
        IN_DOUBT
    }

    private final MessageStore store;
    private final DedupLog log;
    private final Handling handling;

    WriteAfterRollback(MessageStore store, DedupLog log, Handling handling) {
        this.store = store;
        this.log = log;
        this.handling = handling;
    }

    /**
     * If the store does not answer, that is only logged, unless the commit is in doubt.
     *
     * @param claimed our claim, which is rolled back
     * @return what is stored of the message if it is set aside
     * @throws RecordRefusedException the message is too large to be kept until its next attempt
     * @throws NotHandledException another delivery has handled the message: ours is a duplicate. Or it is unknown whether this one has
     */
    PoisonRecord write(MessageRecord claimed, Failed ending, Commit commit) {
        MessageRecord released = RecordRules.released(claimed, ending, handling).withVersion(claimed.version());
        MessageRecord stored;
        try {
            stored = stored(released, ending);
            if (commit == Commit.NOT_TRIED
                    && stored != null
                    && stored.isSameWriteAs(claimed)) { // the handler has committed it
                stored = stored(released.withVersion(claimed.version() + 1), ending);
            }
        } catch (RuntimeException e) {
            if (e instanceof RecordRefusedException && handling.turn() != null && ending instanceof Retried) {
                throw e;
            }
            log.noAnswer(handling.message().id(), "could not record how its handling ended", e, handling.details());
            if (handling.turn() != null) {
                handling.turn().isUnanswered();
            }
            if (commit == Commit.IN_DOUBT) { // it must not become poison: a commit that is carried out late makes it
                // handled
                throw NotHandledException.trouble(
                        "It is unknown whether message %s was committed as handled, and the store does not answer"
                                .formatted(handling.message().id()),
                        IN_DOUBT_COMES_BACK);
            }
            return PoisonRecord.NONE;
        }
        return stored == null ? PoisonRecord.NONE : read(stored, claimed);
    }

    /**
     * For a claim of which nothing is left after the rollback, unless the handler has ended the transaction itself: then the message would
     * count as handled. If the store does not answer, that is only logged.
     */
    void undoCommitted(MessageRecord claimed) {
        try {
            MessageRecord stored = store.find(claimed.key());
            if (stored != null && stored.isSameWriteAs(claimed)) {
                MessageRecord unused = store.replace(claimed.next(RecordState.RELEASED));
            }
        } catch (RuntimeException e) {
            log.noAnswer(handling.message().id(), "could not look what its rollback has left", e, handling.details());
        }
    }

    /** Ours if it is written; otherwise what is there instead. No transaction is open, so each write is one of its own. */
    private @Nullable MessageRecord stored(MessageRecord released, Failed ending) {
        JointWrite result = RecordWrites.isJoint(handling, ending)
                ? RecordWrites.ended(
                        store,
                        handling,
                        ending,
                        released.owner(),
                        companions -> RecordWrites.write(store, released, companions))
                : RecordWrites.write(store, released, List.of());
        return result instanceof JointWrite.Written written ? written.records().get(0) : store.find(released.key());
    }

    private PoisonRecord read(MessageRecord stored, MessageRecord claimed) {
        return switch (stored.state()) {
            case COMPLETED, DISPATCHED, UNDONE ->
                throw NotHandledException.later(
                        "The handling of message %s failed, and another delivery has handled it meanwhile, or its undo has"
                                .formatted(handling.message().id()),
                        Duration.ZERO);
            case POISONED ->
                RecordRules.poisonRecord(
                        handling.message(),
                        stored,
                        stored.owner().equals(claimed.owner()) ? By.THIS_DELIVERY : By.ANOTHER_DELIVERY);
            case PARKED -> {
                if (!stored.owner().equals(claimed.owner())) {
                    throw NotHandledException.later(
                            "The handling of message %s failed, and another delivery has stored it meanwhile, to be handled in its turn"
                                    .formatted(handling.message().id()),
                            Duration.ZERO);
                }
                yield PoisonRecord.NONE;
            }
            case CLAIMED, RELEASED -> PoisonRecord.NONE;
        };
    }
}
