// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.spi.store.ForwardingMessageStore;
import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one process has of its node's store. */
final class FaultyStore extends ForwardingMessageStore {

    private static final Duration ASKED_FOR = Duration.ofMillis(100);

    private final Instance instance;

    FaultyStore(MessageStore store, Instance instance) {
        super(store);
        this.instance = instance;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        return write(instance.nameOf(record), () -> wrapped.create(record));
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return this.<@Nullable MessageRecord>write(instance.nameOf(record), () -> wrapped.replace(record));
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        return write(instance.nameOf(records.get(0)), () -> wrapped.writeTogether(records));
    }

    @Override
    public void replaceAll(List<MessageRecord> records) {
        Object unused = this.<@Nullable Object>write("marks", () -> {
            wrapped.replaceAll(records);
            return null;
        });
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        reach(Place.BEFORE_READ, instance.nameOf(key));
        return wrapped.find(key);
    }

    private <T extends @Nullable Object> T write(String subject, Supplier<T> write) {
        reach(Place.BEFORE_WRITE, subject);
        T written = write.get();
        reach(Place.AFTER_WRITE, subject);
        return written;
    }

    private void reach(Place place, String subject) {
        if (instance.reach(place, subject) == Fault.FAIL) {
            throw new StoreUnavailableException("no answer, as the schedule wants", ASKED_FOR, null);
        }
    }
}
