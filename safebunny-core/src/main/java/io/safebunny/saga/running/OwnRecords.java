// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.dedup.PoisonedRecords;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.store.UnreadableRecordException;
import java.time.Duration;

/** What the node has recorded of messages to its sagas. Thread-safe. */
final class OwnRecords {

    private static final Duration UNTIL_UPGRADED = Duration.ofMinutes(1);
    private static final Duration UNTIL_IT_ANSWERS = Duration.ofSeconds(5);

    private final PoisonedRecords records;

    OwnRecords(PoisonedRecords records) {
        this.records = records;
    }

    /**
     * Whether a message that was set aside still is: it is not being handled, and has not been since. Of one that could not be read there is
     * no record.
     *
     * @throws NotHandledException the store did not answer, or a newer version of SafeBunny wrote it
     */
    boolean isStillSetAside(String sagaId, String messageId) {
        try {
            MessageRecord record = records.find(new RecordKey(sagaId, messageId));
            return record == null || record.state() == RecordState.POISONED;
        } catch (UnreadableRecordException e) {
            throw NotHandledException.later(e.messageWithoutCode(), UNTIL_UPGRADED);
        } catch (RuntimeException e) {
            throw NotHandledException.trouble("The store did not answer for message " + messageId, UNTIL_IT_ANSWERS);
        }
    }
}
