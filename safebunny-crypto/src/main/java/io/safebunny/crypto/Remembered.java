// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is remembered of many persons, each for half a minute at most: what was destroyed meanwhile must not be used for longer. Thread-safe. */
final class Remembered<V> {

    static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int MOST = 10_000;

    private final Timeline timeline;
    /** Guarded by itself; the oldest one is first. */
    private final Map<String, Entry<V>> entries = new LinkedHashMap<>();

    Remembered(Timeline timeline) {
        this.timeline = timeline;
    }

    private record Entry<V>(V value, long askedAt) {}

    @Nullable
    V get(String name) {
        synchronized (entries) {
            forgetOld();
            Entry<V> entry = entries.get(name);
            return entry == null ? null : entry.value;
        }
    }

    /** @param askedAt before it was asked for, of {@link Timeline#nanoTime} */
    V put(String name, V value, long askedAt) {
        synchronized (entries) {
            entries.remove(name);
            entries.put(name, new Entry<>(value, askedAt));
            forgetOld();
        }
        return value;
    }

    private void forgetOld() {
        long now = timeline.nanoTime();
        Iterator<Entry<V>> oldest = entries.values().iterator();
        while (oldest.hasNext() && (now - oldest.next().askedAt >= LONGEST.toNanos() || entries.size() > MOST)) {
            oldest.remove();
        }
    }

    void clear() {
        synchronized (entries) {
            entries.clear();
        }
    }
}
