// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/** Holds no more than two megabytes in one record. */
final class LimitedStore extends ForwardingStore {

    static final long LIMIT = 2 << 20;

    private LimitedStore(MessageStore sound) {
        super(sound);
    }

    static MessageStore of(MessageStore unlimited) {
        return new LimitedStore(unlimited);
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        long size = size(record);
        if (size >= LIMIT) {
            throw new RecordTooLargeException(record.key(), size, LIMIT);
        }
        return super.replace(record);
    }

    static long size(MessageRecord record) {
        long steps = record.steps().values().stream()
                .mapToLong(json -> json.getBytes(UTF_8).length)
                .sum();
        return steps
                + record.outgoing().stream()
                        .mapToLong(message -> message.message().body().length)
                        .sum();
    }
}
