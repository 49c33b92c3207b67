// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.memory;

import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Records in memory: they do not survive a restart and are not shared between instances. Records nobody works on are forgotten
 * after the retention. Thread-safe.
 */
public final class MemoryMessageStore implements MessageStore {

    private final Timeline timeline;
    private final long retentionNanos;
    private final Map<RecordKey, MessageRecord> records = new HashMap<>();
    /** Records nobody works on, in the order in which they came to rest. */
    private final Queue<Resting> resting = new ArrayDeque<>();

    public MemoryMessageStore(Timeline timeline, Duration retention) {
        this.timeline = timeline;
        this.retentionNanos = retention.toNanos();
    }

    @Override
    public synchronized @Nullable MessageRecord create(MessageRecord record) {
        forgetExpired();
        return records.putIfAbsent(record.key(), record);
    }

    @Override
    public synchronized boolean replace(MessageRecord record) {
        MessageRecord current = records.get(record.key());
        if (current == null || current.version() != record.version() - 1) {
            return false;
        }
        records.put(record.key(), record);
        if (record.state() == RecordState.DISPATCHED || record.state() == RecordState.RELEASED) {
            resting.add(new Resting(record, timeline.nanoTime()));
        }
        return true;
    }

    private void forgetExpired() {
        long now = timeline.nanoTime();
        for (Resting oldest = resting.peek();
                oldest != null && now - oldest.since >= retentionNanos;
                oldest = resting.peek()) {
            resting.remove();
            records.remove(oldest.record.key(), oldest.record); // unless it was written again
        }
    }

    private record Resting(MessageRecord record, long since) {}
}
