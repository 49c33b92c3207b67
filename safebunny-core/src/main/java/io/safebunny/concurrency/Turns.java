// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** A lock per key, first come, first served. Keys without a holder cost nothing. Thread-safe. */
public final class Turns<K> {

    private final ConcurrentMap<K, KeyLine> held = new ConcurrentHashMap<>();
    private final Paces<K> paces;
    private final Timeline timeline;

    public Turns(Timeline timeline) {
        this.timeline = timeline;
        this.paces = new Paces<>(timeline.random());
    }

    /** The line of one key; forgotten when its last user leaves. */
    private static final class KeyLine {
        private final WaitingLine turns = new WaitingLine(1);
        /** Number of callers that wait, plus the one whose turn it is. Guarded by the map. */
        private int users;

        private volatile long turnBegan;
    }

    /** A turn or a lock, held until it is closed; any thread may close it, once. */
    @FunctionalInterface
    public interface Hold extends AutoCloseable {

        /** A hold of nothing. */
        Hold NONE = () -> {};

        @Override
        void close();
    }

    /** @return the turn; {@code null} if somebody else has it */
    public @Nullable Hold tryTake(K key) {
        KeyLine line = new KeyLine();
        line.users = 1;
        line.turnBegan = timeline.nanoTime();
        boolean taken = line.turns.tryTake(1);
        return taken && held.putIfAbsent(key, line) == null ? () -> release(key, line) : null;
    }

    /** When a caller that does not wait should retry: such that for each turn that ends, about one caller arrives. */
    public Duration comesAgainIn(K key) {
        return paces.comesAgainIn(key, timeline.nanoTime());
    }

    /** Waits for the turn; {@code null} if the deadline passes first. */
    public @Nullable Hold await(K key, Deadline deadline) throws InterruptedException {
        KeyLine line = held.compute(key, (same, known) -> {
            KeyLine joined = known == null ? new KeyLine() : known;
            joined.users++;
            return joined;
        });
        boolean taken = false;
        try {
            taken = line.turns.tryTake(1) || line.turns.take(1, deadline::await);
        } finally {
            if (taken) {
                line.turnBegan = timeline.nanoTime();
            } else {
                leave(key);
            }
        }
        return taken ? () -> release(key, line) : null;
    }

    /** Whether somebody waits for the turn of this key. */
    public boolean isWaitedFor(K key) {
        KeyLine line = held.get(key);
        return line != null && line.turns.isWaitedFor();
    }

    private void leave(K key) {
        KeyLine unused = held.computeIfPresent(key, (same, line) -> --line.users == 0 ? null : line);
    }

    private void release(K key, KeyLine line) {
        paces.took(key, timeline.nanoTime() - line.turnBegan);
        leave(key);
        line.turns.give(1);
    }
}
