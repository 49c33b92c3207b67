// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.simulation.run.Fault;
import io.safebunny.test.simulation.run.Place;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One process's access to its node's store, with faults. */
class FaultyStore extends ForwardingMessageStore {

    private static final String MARKS = "marks";
    private static final Duration ASKED_FOR = Duration.ofMillis(100);

    final Instance instance;

    static MessageStore of(MessageStore store, Instance instance) {
        return store instanceof TransactionalMessageStore transactional
                ? new FaultyTransactions(transactional, instance)
                : new FaultyStore(store, instance);
    }

    FaultyStore(MessageStore store, Instance instance) {
        super(store);
        this.instance = instance;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        return write(List.of(record), () -> wrapped.create(record), stored -> stored.owner()
                .equals(record.owner()));
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return this.<@Nullable MessageRecord>write(
                List.of(record), () -> wrapped.replace(record), stored -> stored != null);
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        return write(records, () -> wrapped.writeTogether(records), result -> result instanceof JointWrite.Written);
    }

    @Override
    public void replaceAll(List<MessageRecord> records) {
        reach(Place.BEFORE_WRITE, MARKS);
        List<Optional<MessageRecord>> before =
                records.stream().map(this::stored).toList();
        wrapped.replaceAll(records);
        for (int i = 0; i < records.size(); i++) {
            MessageRecord record = records.get(i);
            before.get(i)
                    .filter(stored -> stored.version() == record.version() - 1)
                    .ifPresent(stored -> instance.rules().replaced(instance, MARKS, stored, record));
            instance.rules().marked(instance, record);
        }
        reach(Place.AFTER_WRITE, MARKS);
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        reach(Place.BEFORE_READ, instance.nameOf(key));
        return wrapped.find(key);
    }

    final <T extends @Nullable Object> T write(List<MessageRecord> records, Supplier<T> write, Predicate<T> isWritten) {
        String subject = instance.nameOf(records.get(0));
        records.forEach(record -> instance.rules().writes(instance, record));
        reach(Place.BEFORE_WRITE, subject);
        Duration begun = instance.rules().now();
        List<Optional<MessageRecord>> before =
                records.stream().map(this::stored).toList();
        T result = written(records, write);
        boolean written = isWritten.test(result);
        if (written) {
            for (int i = 0; i < records.size(); i++) {
                MessageRecord record = records.get(i);
                before.get(i).ifPresent(stored -> instance.rules().replaced(instance, subject, stored, record));
                instance.rules().written(instance, subject, record, begun);
            }
        }
        reach(Place.AFTER_WRITE, written ? subject : subject + ", refused");
        return result;
    }

    private <T extends @Nullable Object> T written(List<MessageRecord> records, Supplier<T> write) {
        try {
            return write.get();
        } catch (RecordTooLargeException e) {
            records.forEach(record -> instance.rules().refusedAsTooLarge(instance, record));
            throw e;
        }
    }

    /** Without a fault. In a transaction it is not asked: what is stored there may be undone. */
    private Optional<MessageRecord> stored(MessageRecord record) {
        return wrapped instanceof TransactionalMessageStore
                ? Optional.empty()
                : Optional.ofNullable(wrapped.find(record.key()));
    }

    final void reach(Place place, String subject) {
        if (instance.reach(place, subject) == Fault.FAIL) {
            failed();
            throw new StoreUnavailableException("no answer, as the schedule wants", ASKED_FOR, null);
        }
    }

    /** Called when a call gets no answer. */
    void failed() {}
}
