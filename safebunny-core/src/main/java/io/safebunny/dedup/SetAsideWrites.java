// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.Handling;
import io.safebunny.handling.JointRecords;
import io.safebunny.handling.JointRecords.SetAsideWrite;
import io.safebunny.message.Envelope;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is written together with the record of a message that is set aside, read anew before each try: what depends on it, and its
 * steps, if they are apart, so that they are kept as long as it is. Confined to one thread.
 */
final class SetAsideWrites {

    /** More than the writers of one companion that are active at once. */
    private static final int MOST_TRIES = 20;

    private final Envelope message;
    private final JointRecords records;
    private final MessageStore store;
    private int tries;
    private Runnable whenWritten = () -> {};

    SetAsideWrites(Handling handling, MessageStore store) {
        this.message = handling.message();
        this.records = handling.records();
        this.store = store;
    }

    List<MessageRecord> read() {
        tries++;
        SetAsideWrite write = records.setAsideWrite();
        List<MessageRecord> together = write == null ? List.of() : write.records(store::find);
        whenWritten = write == null ? () -> {} : write::written;
        return Stream.concat(together.stream(), Stream.ofNullable(steps())).toList();
    }

    private @Nullable MessageRecord steps() {
        return store instanceof TransactionalMessageStore
                ? ApartSteps.poisoned(message, ApartSteps.find(store::find, records.key()))
                : null;
    }

    /** To be called when what was read last is written. */
    void written() {
        whenWritten.run();
    }

    boolean mayTryAgain() {
        return tries < MOST_TRIES;
    }

    StoreUnavailableException overtakenTooOften() {
        return new StoreUnavailableException(
                "What is written with the record of message %s was changed by others %s times in a row"
                        .formatted(records.key().messageId(), tries),
                null,
                null);
    }
}
