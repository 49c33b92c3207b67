// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.MessageRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holds no more than two megabytes in one record, and none of an owner with a long name. */
final class LimitedStore extends ForwardingMessageStore {

    static final long LIMIT = 2 << 20;

    private static final int LONGEST_OWNER = 1_000;

    private LimitedStore(MessageStore unlimited) {
        super(unlimited);
    }

    static MessageStore of(MessageStore unlimited) {
        return new LimitedStore(unlimited);
    }

    /** So that it is refused. */
    static MessageRecord unstorable(MessageRecord r) {
        return r.nextSteps("o".repeat(LONGEST_OWNER + 1), r.steps()).withVersion(r.version());
    }

    private static void requireStorable(MessageRecord record) {
        if (record.owner().length() > LONGEST_OWNER) {
            throw new RecordRefusedException(record.key(), "its owner's name is too long.", null);
        }
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        requireStorable(record);
        return wrapped.create(record);
    }

    @Override
    public void replaceAll(List<MessageRecord> records) {
        records.forEach(LimitedStore::requireStorable);
        wrapped.replaceAll(records);
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        requireStorable(record);
        requireSmall(record);
        return wrapped.replace(record);
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        for (MessageRecord record : records) {
            requireStorable(record);
            requireSmall(record);
        }
        return wrapped.writeTogether(records);
    }

    static void requireSmall(MessageRecord record) {
        long size = size(record);
        if (size >= LIMIT) {
            throw new RecordTooLargeException(record.key(), size, LIMIT);
        }
    }

    static long size(MessageRecord record) {
        long steps = record.content().values().stream()
                .mapToLong(json -> json.getBytes(UTF_8).length)
                .sum();
        return steps
                + record.outgoing().stream()
                        .mapToLong(message -> message.message().body().length)
                        .sum();
    }
}
