// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.bodies;

import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStore;
import io.safebunny.bodies.BodyStoreUnavailableException;
import io.safebunny.time.Timeline;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Large bodies in memory: a test counts, removes and damages them, and takes them away for a while, as an outage of a body store does.
 * Nodes that are to read each other's messages share one. Thread-safe.
 */
public final class MemoryBodyStore implements BodyStore {

    /** Its name in references. */
    public static final String NAME = "memory";

    private record Body(byte[] bytes, Instant at) {}

    private final Map<String, Body> bodies = new ConcurrentHashMap<>();
    private final AtomicInteger puts = new AtomicInteger();
    private final AtomicInteger opened = new AtomicInteger();
    private final Timeline timeline;
    private volatile boolean isAway;

    public MemoryBodyStore(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Number of bodies that are in it. */
    public int size() {
        return bodies.size();
    }

    /** How often a body was put. */
    public int puts() {
        return puts.get();
    }

    /** How often a body was fetched, or looked for. */
    public int opened() {
        return opened.get();
    }

    /** Removes all bodies. */
    public void clear() {
        bodies.clear();
    }

    /** Changes the last bit of each body. */
    public void damage() {
        bodies.replaceAll((key, body) -> {
            byte[] changed = body.bytes.clone();
            changed[changed.length - 1] ^= 1;
            return new Body(changed, body.at);
        });
    }

    /** From now on every call fails with {@link BodyStoreUnavailableException}. */
    public void goAway() {
        isAway = true;
    }

    public void comeBack() {
        isAway = false;
    }

    private void requireThere() {
        if (isAway) {
            throw new BodyStoreUnavailableException("The body store of this test is away", null);
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void put(BodyReference reference, byte[] body) {
        requireThere();
        puts.incrementAndGet();
        bodies.put(reference.key(), new Body(body.clone(), timeline.now()));
    }

    @Override
    public @Nullable InputStream open(BodyReference reference) {
        requireThere();
        opened.incrementAndGet();
        Body body = bodies.get(reference.key());
        return body == null ? null : new ByteArrayInputStream(body.bytes);
    }

    @Override
    public int deleteOlderThan(Instant limit, int most) {
        requireThere();
        int deleted = 0;
        for (Map.Entry<String, Body> old : olderThan(limit, most)) {
            deleted += bodies.remove(old.getKey(), old.getValue()) ? 1 : 0;
        }
        return deleted;
    }

    private List<Map.Entry<String, Body>> olderThan(Instant limit, int most) {
        return bodies.entrySet().stream()
                .filter(entry -> entry.getValue().at.isBefore(limit))
                .limit(most)
                .map(entry -> Map.entry(entry.getKey(), entry.getValue()))
                .toList();
    }
}
