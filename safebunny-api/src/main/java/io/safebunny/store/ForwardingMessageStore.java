// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Passes everything on to another store. To wrap one, extend this and override what is to be different. What is replaced at once is replaced
 * one by one, so that a subclass that overrides {@link #replace} need not override {@link #replaceAll}. As thread-safe as the other one.
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
    public boolean mayKeepStepsApart() {
        return wrapped.mayKeepStepsApart();
    }

    @Override
    public int removeExpired(int limit) {
        return wrapped.removeExpired(limit);
    }
}
