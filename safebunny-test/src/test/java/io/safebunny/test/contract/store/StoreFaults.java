// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoredPage;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.contract.bites.Faults;
import io.safebunny.test.contract.bites.Sabotage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Faults of stores, and what several of them have in common. */
abstract class StoreFaults extends Faults<BrokenStoreContract, MessageStore> {

    static MessageRecord withState(MessageRecord record, RecordState state) {
        return record.next(state).withVersion(record.version());
    }

    static MessageRecord with(MessageRecord r, RecordKey key, Duration lease, Fingerprint fingerprint) {
        return new MessageRecord(
                key,
                r.state(),
                r.owner(),
                r.version(),
                r.attempt(),
                r.takeovers(),
                lease,
                fingerprint,
                r.content(),
                r.outgoing(),
                key.isShared() ? r.listing() : null,
                r.etag());
    }

    static @Nullable MessageRecord withKey(@Nullable MessageRecord r, RecordKey key) {
        return r == null ? null : with(r, key, r.lease(), r.fingerprint());
    }

    /** Stores something else than it was given. */
    static Consumer<Sabotage<MessageStore>> altering(UnaryOperator<MessageRecord> change) {
        return store -> {
            store.on(MessageStore::create).instead((real, record) -> real.create(change.apply(record)));
            store.on(MessageStore::replace).instead((real, record) -> real.replace(change.apply(record)));
        };
    }

    /** Takes keys for equal that are not: those with the same normal form. But for companions that a partition shares. */
    static Consumer<Sabotage<MessageStore>> confusing(UnaryOperator<RecordKey> normalForm) {
        UnaryOperator<RecordKey> normal = key -> key.isShared() ? key : normalForm.apply(key);
        UnaryOperator<MessageRecord> confused = r -> Objects.requireNonNull(withKey(r, normal.apply(r.key())));
        return store -> {
            Map<RecordKey, RecordKey> keys = new ConcurrentHashMap<>();
            store.on(MessageStore::create).instead((real, record) -> {
                keys.put(normal.apply(record.key()), record.key());
                return withKey(real.create(confused.apply(record)), record.key());
            });
            store.on(MessageStore::replace)
                    .instead((real, record) -> withKey(real.replace(confused.apply(record)), record.key()));
            store.on(MessageStore::find).instead((real, key) -> withKey(real.find(normal.apply(key)), key));
            store.on(MessageStore::replaceAll)
                    .instead((real, records) -> records.stream().map(confused).forEach(real::replace));
            store.on(MessageStore::findCompleted)
                    .instead((real, unchangedFor, limit) -> real.findCompleted(unchangedFor, limit).stream()
                            .map(record -> withKey(record, keys.getOrDefault(record.key(), record.key())))
                            .toList());
            store.on(MessageStore::findAll).instead((real, after, limit) -> {
                StoredPage<MessageRecord> part = Objects.requireNonNull(real.findAll(after, limit));
                return new StoredPage<>(
                        part.rows().stream()
                                .map(record -> Objects.requireNonNull(
                                        withKey(record, keys.getOrDefault(record.key(), record.key()))))
                                .toList(),
                        part.unreadable(),
                        part.next());
            });
            store.on(MessageStore::findCorrelated).instead((real, correlation, limit) -> Stream.concat(
                            real.findCorrelated(correlation, Integer.MAX_VALUE).stream()
                                    .filter(dated -> dated.record().key().isShared()),
                            keys.entrySet().stream()
                                    .filter(key -> !key.getValue().isShared()
                                            && key.getValue().correlationId().equals(correlation))
                                    .flatMap(key ->
                                            real
                                                    .findCorrelated(key.getKey().correlationId(), Integer.MAX_VALUE)
                                                    .stream()
                                                    .filter(dated ->
                                                            dated.record().key().equals(key.getKey()))
                                                    .map(dated -> new DatedRecord(
                                                            with(
                                                                    dated.record(),
                                                                    key.getValue(),
                                                                    dated.record()
                                                                            .lease(),
                                                                    dated.record()
                                                                            .fingerprint()),
                                                            dated.changedAt()))))
                    .sorted(DatedRecord.SHARED_FIRST)
                    .limit(limit)
                    .toList());
            store.on(MessageStore::findCorrelationIds).instead((real, id, limit, atMost) -> keys.values().stream()
                    .filter(key ->
                            !key.isCompanion() && key.messageId().equals(id) && real.find(normal.apply(key)) != null)
                    .map(RecordKey::correlationId)
                    .limit(limit)
                    .toList());
            store.on(MessageStore::writeTogether).instead((real, records) -> {
                synchronized (store) { // soundly, but for the keys
                    for (MessageRecord record : records) {
                        LimitedStore.requireSmall(record);
                        MessageRecord stored = real.find(normal.apply(record.key()));
                        if ((stored == null ? 0 : stored.version()) != record.version() - 1) {
                            return new JointWrite.Overtaken(record.key());
                        }
                    }
                    for (MessageRecord record : records) {
                        if (JointWrite.isCreated(record)) {
                            keys.put(normal.apply(record.key()), record.key());
                            real.create(confused.apply(record));
                        } else {
                            real.replace(confused.apply(record));
                        }
                    }
                    return new JointWrite.Written(records);
                }
            });
        };
    }

    /** Lets two threads that deal with one record meet, if there are two. */
    static final class Meeting {

        private final Thread test = Thread.currentThread();
        private final Map<RecordKey, CountDownLatch> present = new ConcurrentHashMap<>();

        void meet(RecordKey key) throws InterruptedException {
            if (Thread.currentThread() == test) {
                return;
            }
            CountDownLatch both = present.computeIfAbsent(key, any -> new CountDownLatch(2));
            both.countDown();
            if (!both.await(10, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody came");
            }
        }
    }

    /** Knows what a store holds, and can pretend that it lost some of it. */
    static final class Inventory {

        private final Set<RecordKey> keys = ConcurrentHashMap.newKeySet();
        private final Set<RecordKey> lost = ConcurrentHashMap.newKeySet();

        Inventory(Sabotage<MessageStore> store) {
            store.on(MessageStore::create).instead((real, record) -> {
                keys.add(record.key());
                return real.create(record);
            });
            store.on(MessageStore::find).instead((real, key) -> lost.contains(key) ? null : real.find(key));
        }

        List<MessageRecord> all(MessageStore real, Predicate<MessageRecord> which) {
            return keys.stream()
                    .map(real::find)
                    .filter(Objects::nonNull)
                    .map(Objects::requireNonNull)
                    .filter(which)
                    .toList();
        }

        void lose(MessageStore real, Predicate<MessageRecord> which) {
            all(real, which).forEach(record -> lost.add(record.key()));
        }
    }
}
