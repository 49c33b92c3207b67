// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An instance's way to its node's store. */
final class MortalStore implements MessageStore {

    private final Instance instance;
    private final MessageStore store;

    MortalStore(Instance instance, MessageStore store) {
        this.instance = instance;
        this.store = store;
    }

    private <T extends @Nullable Object> T write(Supplier<T> write) {
        instance.pass();
        instance.world().fate().beforeWrite();
        T result = write.get();
        instance.pass();
        instance.world().fate().afterWrite();
        return result;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        return write(() -> store.create(record));
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return write(() -> store.replace(record));
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        return write(() -> store.writeTogether(records));
    }

    /** Marks are written under locks of the engine, so nothing else may happen meanwhile. */
    @Override
    public void replaceAll(List<MessageRecord> records) {
        instance.requireAlive();
        store.replaceAll(records);
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        instance.pass();
        return store.find(key);
    }

    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        instance.requireAlive();
        return store.findCompleted(unchangedFor, limit);
    }

    @Override
    public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        instance.requireAlive();
        return store.findDue(from, until, limit);
    }

    @Override
    public List<MessageRecord> findListed(ListingQuery query) {
        instance.requireAlive();
        return store.findListed(query);
    }

    @Override
    public long countListed(String kind, String status) {
        instance.requireAlive();
        return store.countListed(kind, status);
    }

    @Override
    public List<DatedRecord> findCorrelated(String correlationId, int limit) {
        instance.requireAlive();
        return store.findCorrelated(correlationId, limit);
    }

    @Override
    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        instance.requireAlive();
        return store.findCorrelationIds(messageId, limit, atMost);
    }

    @Override
    public boolean mayKeepStepsApart() {
        return store.mayKeepStepsApart();
    }

    @Override
    public boolean readsAreDecisive() {
        return store.readsAreDecisive();
    }

    @Override
    public int removeExpired(int limit) {
        instance.requireAlive();
        return store.removeExpired(limit);
    }
}
