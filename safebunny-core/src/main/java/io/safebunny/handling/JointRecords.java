// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.store.record.MessageRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * What is written together with a message's record, all or nothing. Immutable.
 *
 * @param records with different keys
 * @param whenWritten run in this order once they are written; must not throw
 */
public record JointRecords(List<MessageRecord> records, List<Runnable> whenWritten) {

    public static final JointRecords NONE = new JointRecords(List.of(), List.of());

    public JointRecords {
        records = List.copyOf(records);
        whenWritten = List.copyOf(whenWritten);
    }

    /** @param record takes the place of one with the same key */
    public JointRecords with(MessageRecord record) {
        List<MessageRecord> all = new ArrayList<>(records);
        all.removeIf(other -> other.key().equals(record.key()));
        all.add(record);
        return new JointRecords(all, whenWritten);
    }

    public JointRecords andThen(Runnable action) {
        List<Runnable> all = new ArrayList<>(whenWritten);
        all.add(action);
        return new JointRecords(records, all);
    }
}
