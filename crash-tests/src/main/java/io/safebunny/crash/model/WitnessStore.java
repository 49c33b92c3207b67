// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.model;

import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.ListingQuery;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store that tells of each write that succeeded, with all that was written at once. */
final class WitnessStore implements MessageStore {

    private final MessageStore store;
    private final Consumer<List<MessageRecord>> witness;

    WitnessStore(MessageStore store, Consumer<List<MessageRecord>> witness) {
        this.store = store;
        this.witness = witness;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        MessageRecord stored = store.create(record);
        if (stored.isSameWriteAs(record)) {
            witness.accept(List.of(record));
        }
        return stored;
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        MessageRecord stored = store.replace(record);
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
        JointWrite result = store.writeTogether(records);
        if (result instanceof JointWrite.Written) {
            witness.accept(records);
        }
        return result;
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        return store.find(key);
    }

    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        return store.findCompleted(unchangedFor, limit);
    }

    @Override
    public List<MessageRecord> findDue(Instant until, int limit) {
        return store.findDue(until, limit);
    }

    @Override
    public List<MessageRecord> findListed(ListingQuery query) {
        return store.findListed(query);
    }

    @Override
    public long countListed(String kind, String status) {
        return store.countListed(kind, status);
    }

    @Override
    public int removeExpired(int limit) {
        return store.removeExpired(limit);
    }
}
