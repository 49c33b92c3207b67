// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is remembered of many persons, each for a minute at most: what was destroyed meanwhile must not be used for longer. Thread-safe. */
final class Remembered<V> {

    static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int MOST = 10_000;

    private final Timeline timeline;
    /** Guarded by itself; the one used longest ago is first. */
    private final Map<String, Entry<V>> entries = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Entry<V>> eldest) {
            return size() > MOST;
        }
    };

    Remembered(Timeline timeline) {
        this.timeline = timeline;
    }

    private record Entry<V>(V value, long askedAt) {}

    @Nullable
    V get(String name) {
        synchronized (entries) {
            Entry<V> entry = entries.get(name);
            if (entry == null) {
                return null;
            }
            if (timeline.nanoTime() - entry.askedAt < LONGEST.toNanos()) {
                return entry.value;
            }
            entries.remove(name);
            return null;
        }
    }

    /** @param askedAt before it was asked for, of {@link Timeline#nanoTime} */
    V put(String name, V value, long askedAt) {
        synchronized (entries) {
            entries.put(name, new Entry<>(value, askedAt));
        }
        return value;
    }

    void clear() {
        synchronized (entries) {
            entries.clear();
        }
    }
}
