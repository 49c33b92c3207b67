// SPDX-License-Identifier: Apache-2.0
package io.safebunny.waiting;

import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** A lock per key, first come, first served. Keys without a holder cost nothing. Thread-safe. */
public final class Turns<K> {

    private final ConcurrentMap<K, Line> held = new ConcurrentHashMap<>();
    private final Paces<K> paces;
    private final Timeline timeline;

    public Turns(Timeline timeline) {
        this.timeline = timeline;
        this.paces = new Paces<>(timeline.random());
    }

    /** The waiters of one key, and when the current turn began. */
    private static final class Line {
        private final Deque<CompletableFuture<Void>> waiting = new ArrayDeque<>();
        private long since;

        Line(long since) {
            this.since = since;
        }
    }

    /** The lock for one key, held until it is closed; any thread may close it, once. */
    @FunctionalInterface
    public interface Turn extends AutoCloseable {
        @Override
        void close();
    }

    /** @return {@code null} if somebody else holds it */
    public @Nullable Turn tryTake(K key) {
        return held.putIfAbsent(key, new Line(timeline.nanoTime())) == null ? () -> release(key) : null;
    }

    /** When a caller that does not wait should retry, so that about one arrives for each turn that ends. */
    public Duration comesAgainIn(K key) {
        return paces.comesAgainIn(key, timeline.nanoTime());
    }

    /** Waits for the turn; {@code null} if the deadline passes first. */
    public @Nullable Turn await(K key, Deadline deadline) throws InterruptedException {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        Line unused = held.compute(key, (same, line) -> {
            if (line == null) {
                turn.complete(null);
                return new Line(timeline.nanoTime());
            }
            line.waiting.add(turn);
            return line;
        });
        try {
            if (deadline.await(turn)) {
                return () -> release(key);
            }
        } catch (InterruptedException e) {
            if (!leave(key, turn)) {
                // it got the turn meanwhile
                release(key);
            }
            throw e;
        }
        return leave(key, turn) ? null : () -> release(key);
    }

    /** @return whether it left without the turn; otherwise the caller holds it */
    private boolean leave(K key, CompletableFuture<Void> turn) {
        held.computeIfPresent(key, (same, line) -> {
            boolean unused = line.waiting.removeIf(other -> other == turn);
            return line;
        });
        return !turn.isDone();
    }

    private void release(K key) {
        held.computeIfPresent(key, (same, line) -> {
            long now = timeline.nanoTime();
            paces.took(key, now - line.since);
            line.since = now;
            CompletableFuture<Void> next = line.waiting.poll();
            if (next == null) {
                return null;
            }
            next.complete(null);
            return line;
        });
    }
}
