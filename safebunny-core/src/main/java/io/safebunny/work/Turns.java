// SPDX-License-Identifier: Apache-2.0
package io.safebunny.work;

import io.safebunny.time.Deadline;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** For each key one holder at a time; the others wait in line, first come, first served. Keys without a holder cost nothing. Thread-safe. */
public final class Turns<K> {

    /** Those who wait, by what is held. */
    private final ConcurrentMap<K, Deque<CompletableFuture<Void>>> held = new ConcurrentHashMap<>();

    /** The right to go on, until it is closed, once, by any thread. */
    @FunctionalInterface
    public interface Turn extends AutoCloseable {
        @Override
        void close();
    }

    /** {@code null} when somebody has it. */
    public @Nullable Turn tryTake(K key) {
        return held.putIfAbsent(key, new ArrayDeque<>()) == null ? () -> release(key) : null;
    }

    /** Waits until it is given up, or the deadline is over: then {@code null}. */
    public @Nullable Turn await(K key, Deadline deadline) throws InterruptedException {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        Deque<CompletableFuture<Void>> unused = held.compute(key, (same, line) -> {
            if (line == null) {
                turn.complete(null);
                return new ArrayDeque<>();
            }
            line.add(turn);
            return line;
        });
        try {
            if (deadline.await(turn)) {
                return () -> release(key);
            }
        } catch (InterruptedException e) {
            if (!leave(key, turn)) {
                release(key); // it was given the turn meanwhile
            }
            throw e;
        }
        return leave(key, turn) ? null : () -> release(key);
    }

    /** @return whether it left without a turn; otherwise the caller has it */
    private boolean leave(K key, CompletableFuture<Void> turn) {
        held.computeIfPresent(key, (same, line) -> {
            boolean unused = line.removeIf(other -> other == turn);
            return line;
        });
        return !turn.isDone();
    }

    private void release(K key) {
        held.computeIfPresent(key, (same, line) -> {
            CompletableFuture<Void> next = line.poll();
            if (next == null) {
                return null;
            }
            next.complete(null);
            return line;
        });
    }
}
