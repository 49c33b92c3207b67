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
import org.jspecify.annotations.Nullable;

/** Another store, of which a subclass changes what it is about. What is replaced at once is replaced one by one. */
abstract class ForwardingStore implements MessageStore {

    private final MessageStore store;

    ForwardingStore(MessageStore store) {
        this.store = store;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        return store.create(record);
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return store.replace(record);
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        return store.writeTogether(records);
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
    public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        return store.findDue(from, until, limit);
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
