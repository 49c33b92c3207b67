// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps the text of everything that was ever given to a store, as JDBC and Cosmos DB store it. Confined to one thread. */
final class WrittenStore extends ForwardingMessageStore {

    final List<String> written = new ArrayList<>();

    WrittenStore(MessageStore wrapped) {
        super(wrapped);
    }

    private MessageRecord noted(MessageRecord record) {
        written.add(record + " " + record.key() + " " + record.owner() + " " + record.listing() + " "
                + record.trail() + " " + RecordJson.writeSteps(record.steps())
                + RecordJson.writeOutgoing(record.outgoing()));
        return record;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        return super.create(noted(record));
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return super.replace(noted(record));
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        records.forEach(this::noted);
        return super.writeTogether(records);
    }
}
