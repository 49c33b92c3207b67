// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.store.Fingerprint;
import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.time.VirtualTimeline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The contract with a store that has one fault. Run by {@link MessageStoreContractBitesTest}, ignored by Surefire. */
abstract class BrokenStoreContract extends MessageStoreContract {

    private final VirtualTimeline timeline = new VirtualTimeline();
    final MessageStore sound = LimitedStore.of(new MemoryMessageStore(timeline, retention()));
    final MessageStore otherSound = LimitedStore.of(new MemoryMessageStore(timeline, retention()));
    private @Nullable MessageStore broken;

    abstract MessageStore broken();

    @Override
    protected MessageStore store() {
        if (broken == null) {
            broken = broken();
        }
        return broken;
    }

    /** The same fault in all instances, unless a subclass lets this one be sound. */
    @Override
    protected MessageStore anotherInstance() {
        return store();
    }

    @Override
    protected MessageStore otherNode() {
        return otherSound;
    }

    @Override
    protected Duration retention() {
        return Duration.ofDays(7);
    }

    @Override
    protected boolean age(Duration duration) {
        timeline.advance(duration);
        return true;
    }

    @Override
    protected long largestContent() {
        return LimitedStore.LIMIT;
    }

    @Override
    protected MessageRecord unstorable(MessageRecord record) {
        return LimitedStore.unstorable(record);
    }

    @Override
    protected Duration patience() {
        return Duration.ofSeconds(5);
    }

    static MessageRecord with(
            MessageRecord r,
            RecordState state,
            int attempt,
            Duration lease,
            Fingerprint fingerprint,
            Map<String, String> steps) {
        return new MessageRecord(
                r.key(),
                state,
                r.owner(),
                r.version(),
                attempt,
                r.takeovers(),
                lease,
                fingerprint,
                steps,
                r.outgoing(),
                r.etag());
    }

    static MessageRecord withKey(MessageRecord r, RecordKey key) {
        return new MessageRecord(
                key,
                r.state(),
                r.owner(),
                r.version(),
                r.attempt(),
                r.takeovers(),
                r.lease(),
                r.fingerprint(),
                r.steps(),
                r.outgoing(),
                r.etag());
    }

    /** Stores something else than it was given. */
    MessageStore altering(UnaryOperator<MessageRecord> change) {
        return new ForwardingStore(sound) {
            @Override
            public MessageRecord create(MessageRecord record) {
                return super.create(change.apply(record));
            }

            @Override
            public @Nullable MessageRecord replace(MessageRecord record) {
                return super.replace(change.apply(record));
            }
        };
    }

    /** Takes some keys for equal that are not. */
    MessageStore confusing(UnaryOperator<RecordKey> normal) {
        Map<RecordKey, RecordKey> keys = new ConcurrentHashMap<>();
        return new ForwardingStore(sound) {
            @Override
            public MessageRecord create(MessageRecord record) {
                keys.put(normal.apply(record.key()), record.key());
                return withKey(super.create(withKey(record, normal.apply(record.key()))), record.key());
            }

            @Override
            public @Nullable MessageRecord replace(MessageRecord record) {
                MessageRecord answer = super.replace(withKey(record, normal.apply(record.key())));
                return answer == null ? null : withKey(answer, record.key());
            }

            @Override
            public @Nullable MessageRecord find(RecordKey key) {
                MessageRecord answer = super.find(normal.apply(key));
                return answer == null ? null : withKey(answer, key);
            }

            @Override
            public void replaceAll(List<MessageRecord> records) {
                records.forEach(this::replace);
            }

            /** Soundly, but for the keys. */
            @Override
            public synchronized JointWrite writeTogether(List<MessageRecord> records) {
                for (MessageRecord record : records) {
                    LimitedStore.requireSmall(record);
                    MessageRecord stored = find(record.key());
                    if ((stored == null ? 0 : stored.version()) != record.version() - 1) {
                        return new JointWrite.Overtaken(record.key());
                    }
                }
                records.forEach(record -> {
                    if (JointWrite.isCreated(record)) {
                        create(record);
                    } else {
                        replace(record);
                    }
                });
                return new JointWrite.Written(records);
            }

            @Override
            public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
                return super.findCompleted(unchangedFor, limit).stream()
                        .map(record -> withKey(record, keys.getOrDefault(record.key(), record.key())))
                        .toList();
            }
        };
    }

    /** Knows what it holds, and can pretend to have lost some of it. */
    static class Remembering extends ForwardingStore {

        private final Set<RecordKey> keys = ConcurrentHashMap.newKeySet();
        private final Set<RecordKey> lost = ConcurrentHashMap.newKeySet();

        Remembering(MessageStore sound) {
            super(sound);
        }

        @Override
        public MessageRecord create(MessageRecord record) {
            keys.add(record.key());
            return super.create(record);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            return lost.contains(key) ? null : super.find(key);
        }

        List<MessageRecord> all(Predicate<MessageRecord> which) {
            return keys.stream()
                    .map(sound::find)
                    .filter(Objects::nonNull)
                    .map(Objects::requireNonNull)
                    .filter(which)
                    .toList();
        }

        void lose(Predicate<MessageRecord> which) {
            all(which).forEach(record -> lost.add(record.key()));
        }
    }
}
