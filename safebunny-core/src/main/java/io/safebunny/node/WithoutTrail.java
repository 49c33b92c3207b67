// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.Trail;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes what is too large for the store once more without trails: what a record tells people must not keep its message from being
 * handled. Stateless.
 */
final class WithoutTrail {

    private WithoutTrail() {}

    static MessageRecord created(MessageStore store, MessageRecord record) {
        try {
            return store.create(record);
        } catch (RecordTooLargeException e) {
            return store.create(without(record, e));
        }
    }

    static @Nullable MessageRecord replaced(MessageStore store, MessageRecord record) {
        try {
            return store.replace(record);
        } catch (RecordTooLargeException e) {
            return store.replace(without(record, e));
        }
    }

    static JointWrite writtenTogether(MessageStore store, List<MessageRecord> records) {
        try {
            return store.writeTogether(records);
        } catch (RecordTooLargeException e) {
            if (records.stream().allMatch(record -> record.trail().equals(Trail.NONE))) {
                throw e;
            }
            return store.writeTogether(
                    records.stream().map(record -> record.withTrail(Trail.NONE)).toList());
        }
    }

    private static MessageRecord without(MessageRecord record, RecordTooLargeException tooLarge) {
        if (record.trail().equals(Trail.NONE)) {
            throw tooLarge;
        }
        return record.withTrail(Trail.NONE);
    }
}
