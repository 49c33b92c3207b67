// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.claim.StoredSteps;
import io.safebunny.message.Envelope;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of messages that were set aside, for those who edit them. Reads what is committed, and writes whatever becomes of a
 * transaction of the caller. Thread-safe.
 */
public final class PoisonedRecords {

    private static final int MOST_TRIES = 5;

    private final MessageStore store;

    public PoisonedRecords(MessageStore store) {
        this.store = store;
    }

    /** {@code null} when nothing is stored of the message. */
    public @Nullable MessageRecord find(RecordKey key) {
        return TransactionalMessageStore.apart(store, () -> store.find(key));
    }

    /**
     * What is to be stored once the message has another body: still set aside, one version later, with its steps. Where nothing is stored, a
     * record is created, so that the unedited message is not handled there either.
     *
     * @param stored {@code null} when nothing is
     * @param owner of this write and no other
     */
    public static MessageRecord edited(RecordKey key, @Nullable MessageRecord stored, String owner, Envelope edited) {
        Fingerprint fingerprint = Fingerprint.of(edited);
        return stored != null
                ? stored.edited(owner, fingerprint)
                : new MessageRecord(
                        key,
                        RecordState.POISONED,
                        owner,
                        1,
                        0,
                        0,
                        Duration.ZERO,
                        fingerprint,
                        Map.of(),
                        List.of(),
                        Trail.of(edited.type()),
                        null,
                        null);
    }

    /**
     * Writes it, with the steps that are stored beside it. Whoever claims the message meanwhile wins, or finds this write.
     *
     * @param next from {@link #edited}
     * @param unedited the message before; {@code null} when it cannot be read
     * @return false when another version is stored by now
     * @throws RecordRefusedException the store refuses it for good
     * @throws RuntimeException the store does not answer: it is written or not
     */
    public boolean write(MessageRecord next, @Nullable Envelope unedited) {
        RuntimeException unanswered = null;
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            try {
                List<MessageRecord> together = withSteps(next, unedited);
                JointWrite result = TransactionalMessageStore.apart(store, () -> store.writeTogether(together));
                if (result instanceof JointWrite.Written) {
                    return true;
                }
            } catch (RecordRefusedException e) {
                throw e;
            } catch (RuntimeException e) {
                unanswered = e;
            }
            MessageRecord found = find(next.key());
            long version = found == null ? 0 : found.version();
            if (version != next.version() - 1) { // otherwise only its steps were changed, or nothing was written
                return found != null && found.owner().equals(next.owner());
            }
        }
        throw Objects.requireNonNullElseGet(
                unanswered,
                () -> new StoreUnavailableException(
                        "The steps of message %s were changed by others %s times in a row"
                                .formatted(next.key().messageId(), MOST_TRIES),
                        null,
                        null));
    }

    /** Steps that are kept beside the record know the message by its body, too. */
    private List<MessageRecord> withSteps(MessageRecord next, @Nullable Envelope unedited) {
        List<MessageRecord> together = new ArrayList<>();
        together.add(next);
        MessageRecord steps = StoredSteps.find(this::find, next.key());
        if (steps != null && unedited != null && steps.fingerprint().isOf(unedited)) {
            together.add(steps.edited(next.owner(), next.fingerprint()));
        }
        return together;
    }
}
