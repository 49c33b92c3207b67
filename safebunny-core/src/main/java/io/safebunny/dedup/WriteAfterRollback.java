// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.handling.Handling;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.recovery.RecoveryAction.RecordEffect;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordState;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records what becomes of a message whose transaction is rolled back, in a write of its own: by then nothing keeps other deliveries
 * from having the message. Confined to one thread.
 */
final class WriteAfterRollback {

    private final MessageStore store;
    private final DedupLog log;
    private final Handling handling;

    WriteAfterRollback(MessageStore store, DedupLog log, Handling handling) {
        this.store = store;
        this.log = log;
        this.handling = handling;
    }

    /**
     * If the store does not answer, that is only logged.
     *
     * @param claimed our claim, which is rolled back
     * @throws NotHandledException another delivery has handled the message: ours is a duplicate
     */
    void write(MessageRecord claimed, RecoveryAction next) {
        MessageRecord released = Claiming.released(claimed, next).withVersion(claimed.version());
        MessageRecord stored;
        try {
            stored = next.record() == RecordEffect.POISONED ? setAside(released) : write(released);
            if (stored == null) { // the record is no longer ours
                stored = store.find(released.key());
            }
        } catch (RuntimeException e) {
            log.noAnswer(handling.message().id(), "could not record how its handling ended", e);
            return;
        }
        if (stored != null) {
            heed(stored, claimed);
        }
    }

    private void heed(MessageRecord stored, MessageRecord claimed) {
        Claiming.keepPoisonVersion(handling, stored);
        if (stored.state() == RecordState.POISONED && !stored.owner().equals(claimed.owner())) {
            handling.setAsideByAnother();
        }
        switch (stored.state()) {
            case COMPLETED, DISPATCHED, UNDONE ->
                throw NotHandledException.later(
                        "The handling of message %s failed, and another delivery has handled it meanwhile, or its undo has"
                                .formatted(handling.message().id()),
                        Duration.ZERO);
            case CLAIMED, RELEASED, POISONED -> {}
        }
    }

    /** The stored one: ours or another's; {@code null} when it is no longer ours. */
    private @Nullable MessageRecord write(MessageRecord released) {
        return JointWrite.isCreated(released) ? store.create(released) : store.replace(released);
    }

    /** Together with what depends on it, which others may change meanwhile. */
    private @Nullable MessageRecord setAside(MessageRecord poisoned) {
        SetAsideWrites together = new SetAsideWrites(handling, store);
        do {
            List<MessageRecord> companions = together.read();
            if (companions.isEmpty()) {
                return write(poisoned);
            }
            // no transaction is open, so it is one of its own
            JointWrite result = RecordWrites.together(store, poisoned, companions);
            if (result instanceof JointWrite.Written written) {
                together.written();
                return written.records().get(0);
            }
            if (result instanceof JointWrite.Overtaken overtaken
                    && overtaken.key().equals(poisoned.key())) {
                return null;
            }
        } while (together.mayTryAgain());
        throw together.overtakenTooOften();
    }
}
