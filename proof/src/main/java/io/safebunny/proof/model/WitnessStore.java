// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store that tells of each write that succeeded, with all that was written at once. */
final class WitnessStore extends ForwardingMessageStore {

    private final MessageStore store;
    private final Consumer<List<MessageRecord>> witness;

    WitnessStore(MessageStore store, Consumer<List<MessageRecord>> witness) {
        super(store);
        this.store = store;
        this.witness = witness;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        MessageRecord stored = super.create(record);
        if (stored.isSameWriteAs(record)) {
            witness.accept(List.of(record));
        }
        return stored;
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        MessageRecord stored = super.replace(record);
        if (stored != null) {
            witness.accept(List.of(record));
        }
        return stored;
    }

    @Override
    public void replaceAll(List<MessageRecord> records) {
        store.replaceAll(records);
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        JointWrite result = super.writeTogether(records);
        if (result instanceof JointWrite.Written) {
            witness.accept(records);
        }
        return result;
    }
}
