// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.Companions;
import io.safebunny.handling.JointRecords;
import io.safebunny.handling.JointRecords.SetAsideWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.StoreUnavailableException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is written together with the record of a message that is set aside: read anew before each try. Confined to one thread. */
final class SetAsideWrites {

    /** More than the writers of one companion that are active at once. */
    private static final int MOST_TRIES = 20;

    private final JointRecords records;
    private final Companions stored;
    private int tries;
    private Runnable whenWritten = () -> {};

    SetAsideWrites(JointRecords records, Companions stored) {
        this.records = records;
        this.stored = stored;
    }

    /** At most one record. */
    List<MessageRecord> read() {
        tries++;
        SetAsideWrite write = records.setAsideWrite();
        @Nullable MessageRecord together = write == null ? null : write.record(stored);
        whenWritten = write == null || together == null ? () -> {} : write::written;
        return together == null ? List.of() : List.of(together);
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
                "What is written with the record of message %s was changed by others %d times in a row"
                        .formatted(records.key().messageId(), tries),
                null,
                null);
    }
}
