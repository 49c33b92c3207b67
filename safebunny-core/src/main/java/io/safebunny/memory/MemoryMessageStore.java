// SPDX-License-Identifier: Apache-2.0
package io.safebunny.memory;

import io.safebunny.message.Names;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.store.StoredPage;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps records in memory: they do not survive a restart and are not shared between instances. Thread-safe. */
public final class MemoryMessageStore implements MessageStore {

    private final Timeline timeline;
    private final Retention retention;
    /** Written under the monitor, but searched without it: people who look through all records keep nobody from claiming one. */
    private final Map<RecordKey, Entry> records = new ConcurrentHashMap<>();

    /**
     * Records in a final state, in the order in which they were written. Poisoned ones are kept longer, so they have a queue of their own.
     */
    private final Queue<Entry> finished = new ArrayDeque<>();

    private final Queue<Entry> poisoned = new ArrayDeque<>();
    /** Records in state {@code COMPLETED}, oldest first. */
    private final Map<RecordKey, Entry> completed = new LinkedHashMap<>();
    /** Companions that have a listing, by key. */
    private final Map<RecordKey, MessageRecord> listed = new LinkedHashMap<>();

    /** @param retention how long records in a final state are kept; poisoned ones longer, see {@link Retention#of(Duration)} */
    public MemoryMessageStore(Timeline timeline, Duration retention) {
        this(timeline, Retention.of(retention));
    }

    public MemoryMessageStore(Timeline timeline, Retention retention) {
        this.timeline = timeline;
        this.retention = retention;
    }

    private record Entry(MessageRecord record, long writtenAt) {}

    @Override
    public synchronized MessageRecord create(MessageRecord record) {
        Entry existing = records.get(record.key());
        return existing == null ? put(record) : existing.record;
    }

    @Override
    public synchronized @Nullable MessageRecord replace(MessageRecord record) {
        Entry current = records.get(record.key());
        if (current == null || current.record.version() != record.version() - 1) {
            return null;
        }
        return put(record);
    }

    @Override
    public synchronized JointWrite writeTogether(List<MessageRecord> together) {
        JointWrite.requireOnePartition(together);
        for (MessageRecord record : together) {
            Entry current = records.get(record.key());
            if ((current == null ? 0 : current.record.version()) != record.version() - 1) {
                return new JointWrite.Overtaken(record.key());
            }
        }
        together.forEach(this::put);
        return new JointWrite.Written(together);
    }

    private MessageRecord put(MessageRecord record) {
        Entry entry = new Entry(record, timeline.nanoTime());
        records.put(record.key(), entry);
        completed.remove(record.key());
        if (record.listing() == null) {
            listed.remove(record.key());
        } else {
            listed.put(record.key(), record);
        }
        if (record.state() == RecordState.COMPLETED) {
            completed.put(record.key(), entry);
        } else if (record.state() == RecordState.POISONED) {
            poisoned.add(entry);
        } else if (record.state().isFinal()) {
            finished.add(entry);
        }
        return record;
    }

    @Override
    public synchronized @Nullable MessageRecord find(RecordKey key) {
        Entry entry = records.get(key);
        return entry == null ? null : entry.record;
    }

    @Override
    public synchronized List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        long now = timeline.nanoTime();
        return completed.values().stream()
                .takeWhile(entry -> now - entry.writtenAt >= unchangedFor.toNanos())
                .limit(limit)
                .map(Entry::record)
                .toList();
    }

    @Override
    public synchronized List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        return listed.values().stream()
                .filter(record -> {
                    Instant due = listingOf(record).dueAt();
                    return due != null && !due.isBefore(from) && !due.isAfter(until);
                })
                .sorted(Comparator.comparing(
                        record -> Objects.requireNonNull(listingOf(record).dueAt())))
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized List<MessageRecord> findListed(ListingQuery query) {
        return listed.values().stream()
                .filter(record -> query.kind().equals(listingOf(record).kind()))
                .filter(record -> query.status().equals(listingOf(record).status()))
                .filter(record -> query.createdFrom() == null
                        || !listingOf(record).createdAt().isBefore(query.createdFrom()))
                .filter(record -> query.createdBefore() == null
                        || listingOf(record).createdAt().isBefore(query.createdBefore()))
                .sorted(Comparator.comparing(record -> listingOf(record).createdAt()))
                .limit(query.limit())
                .toList();
    }

    @Override
    public synchronized long countListed(String kind, String status) {
        return listed.values().stream()
                .filter(record -> kind.equals(listingOf(record).kind())
                        && status.equals(listingOf(record).status()))
                .count();
    }

    @Override
    public List<DatedRecord> findCorrelated(String correlationId, int limit) {
        if (!Names.isMessageId(correlationId)) {
            return List.of();
        }
        Instant now = timeline.now();
        long nanos = timeline.nanoTime();
        return records.values().stream()
                .filter(entry -> entry.record.key().correlationId().equals(correlationId)
                        && !entry.record.key().isApart())
                .map(entry -> new DatedRecord(entry.record, now.minusNanos(nanos - entry.writtenAt)))
                .sorted(DatedRecord.SHARED_FIRST)
                .limit(limit)
                .toList();
    }

    @Override
    public StoredPage<MessageRecord> findAll(@Nullable String after, int limit) {
        List<MessageRecord> found = records.values().stream()
                .map(Entry::record)
                .filter(record -> after == null || place(record).compareTo(after) > 0)
                .sorted(Comparator.comparing(MemoryMessageStore::place))
                .limit(limit)
                .toList();
        return new StoredPage<>(found, 0, found.size() < limit ? null : place(found.get(found.size() - 1)));
    }

    private static String place(MessageRecord record) {
        return record.key().correlationId() + '\0' + record.key().messageId();
    }

    @Override
    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        if (!Names.isMessageId(messageId)) {
            return List.of();
        }
        return records.keySet().stream()
                .filter(key -> key.messageId().equals(messageId))
                .map(RecordKey::correlationId)
                .sorted()
                .limit(limit)
                .toList();
    }

    @Override
    public boolean mayKeepStepsApart() {
        return false;
    }

    private static Listing listingOf(MessageRecord listed) {
        return Objects.requireNonNull(listed.listing(), "only those are kept here");
    }

    @Override
    public synchronized int removeExpired(int limit) {
        int removed = removeExpired(finished, retention.handled(), limit);
        return removed + removeExpired(poisoned, retention.poisoned(), limit - removed);
    }

    private int removeExpired(Queue<Entry> candidates, Duration kept, int limit) {
        long now = timeline.nanoTime();
        int removed = 0;
        while (removed < limit) {
            Entry oldest = candidates.peek();
            if (oldest == null || now - oldest.writtenAt < kept.toNanos()) {
                break;
            }
            candidates.remove();
            if (records.remove(oldest.record.key(), oldest)) { // false if the record has been written again since
                listed.remove(oldest.record.key());
                removed++;
            }
        }
        return removed;
    }

    /** Deletes all records: duplicates of messages handled before will be handled again. */
    public synchronized void clear() {
        records.clear();
        finished.clear();
        poisoned.clear();
        completed.clear();
        listed.clear();
    }
}
