// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import java.util.ArrayList;
import java.util.List;

/** Writes of a message's record and whatever is to be written with it. */
final class RecordWrites {

    private RecordWrites() {}

    /** Replaces the record, with its companions all or nothing; one without companions costs no joint write. */
    static JointWrite replace(MessageStore store, MessageRecord record, List<MessageRecord> companions) {
        if (!companions.isEmpty()) {
            return together(store, record, companions);
        }
        MessageRecord written = store.replace(record);
        return written == null ? new JointWrite.Overtaken(record.key()) : new JointWrite.Written(List.of(written));
    }

    /** The record first, as {@link JointWrite#LOCK_ORDER} has it. */
    static JointWrite together(MessageStore store, MessageRecord record, List<MessageRecord> companions) {
        List<MessageRecord> all = new ArrayList<>(companions.size() + 1);
        all.add(record);
        all.addAll(companions);
        return store.writeTogether(all);
    }
}
