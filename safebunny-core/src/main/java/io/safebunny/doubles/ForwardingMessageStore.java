// SPDX-License-Identifier: Apache-2.0
package io.safebunny.doubles;

import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoredPage;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delegates everything to another store. Extend it to wrap a store. {@link #replaceAll} calls {@link #replace} for each record,
 * so a subclass needs to override only {@link #replace}. As thread-safe as the other store.
 */
public abstract class ForwardingMessageStore implements MessageStore {

    protected final MessageStore wrapped;

    protected ForwardingMessageStore(MessageStore wrapped) {
        this.wrapped = wrapped;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        return wrapped.create(record);
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return wrapped.replace(record);
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        return wrapped.writeTogether(records);
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        return wrapped.find(key);
    }

    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        return wrapped.findCompleted(unchangedFor, limit);
    }

    @Override
    public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        return wrapped.findDue(from, until, limit);
    }

    @Override
    public List<MessageRecord> findListed(ListingQuery query) {
        return wrapped.findListed(query);
    }

    @Override
    public long countListed(String kind, String status) {
        return wrapped.countListed(kind, status);
    }

    @Override
    public List<DatedRecord> findCorrelated(String correlationId, int limit) {
        return wrapped.findCorrelated(correlationId, limit);
    }

    @Override
    public @Nullable StoredPage<MessageRecord> findAll(@Nullable String after, int limit) {
        return wrapped.findAll(after, limit);
    }

    @Override
    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        return wrapped.findCorrelationIds(messageId, limit, atMost);
    }

    @Override
    public boolean mayKeepStepsApart() {
        return wrapped.mayKeepStepsApart();
    }

    @Override
    public boolean readsAreDecisive() {
        return wrapped.readsAreDecisive();
    }

    @Override
    public int removeExpired(int limit) {
        return wrapped.removeExpired(limit);
    }
}
