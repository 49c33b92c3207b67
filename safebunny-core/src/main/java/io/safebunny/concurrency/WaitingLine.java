// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Permits that callers take in the order in which they come, waiting on the timeline. A permit that is given back goes to the
 * first in line, and any thread may give it back. {@link Permits} is the variant without that order. Thread-safe.
 */
final class WaitingLine {

    // guarded by this, like all fields below
    private int free;
    /** Created lazily, because threads rarely wait. */
    private @Nullable Deque<Waiter> line;

    WaitingLine(int permits) {
        this.free = permits;
    }

    private record Waiter(int wanted, CompletableFuture<Void> turn) {}

    /** How a caller waits. */
    @FunctionalInterface
    interface Patience {
        /** @return whether the turn has come; {@code false} to give up */
        boolean await(CompletableFuture<Void> turn) throws InterruptedException;
    }

    /**
     * @return whether the caller has the permits, and must give them back. Returns {@code false} at once if others are waiting, or too few
     *     permits are free
     */
    synchronized boolean tryTake(int wanted) {
        if (free < wanted || (line != null && !line.isEmpty())) {
            return false;
        }
        free -= wanted;
        return true;
    }

    /** @return whether the caller has the permits and must give them back; {@code false} if its patience ended first */
    boolean take(int wanted, Patience patience) throws InterruptedException {
        Waiter waiter;
        synchronized (this) {
            if (tryTake(wanted)) {
                return true;
            }
            if (line == null) {
                line = new ArrayDeque<>(2);
            }
            waiter = new Waiter(wanted, new CompletableFuture<>());
            line.addLast(waiter);
        }
        boolean isServed;
        try {
            isServed = patience.await(waiter.turn());
        } catch (InterruptedException | RuntimeException | Error e) {
            if (!leave(waiter)) {
                give(wanted);
            }
            throw e;
        }
        return isServed || !leave(waiter);
    }

    synchronized boolean isWaitedFor() {
        return line != null && !line.isEmpty();
    }

    void give(int permits) {
        List<Waiter> served;
        synchronized (this) {
            free += permits;
            served = serve();
        }
        wake(served);
    }

    /** @return {@code false} if the waiter already has its permits */
    private boolean leave(Waiter waiter) {
        List<Waiter> served;
        synchronized (this) {
            if (line == null || !line.remove(waiter)) {
                return false;
            }
            // those behind it may want fewer permits
            served = serve();
        }
        wake(served);
        return true;
    }

    private List<Waiter> serve() {
        if (line == null || line.isEmpty()) {
            return List.of();
        }
        List<Waiter> served = new ArrayList<>();
        for (Waiter first = line.peekFirst(); first != null && first.wanted() <= free; first = line.peekFirst()) {
            free -= first.wanted();
            served.add(line.removeFirst());
        }
        return served;
    }

    /** Call without holding the monitor, because completing the futures may run foreign code. */
    private static void wake(List<Waiter> served) {
        served.forEach(waiter -> waiter.turn().complete(null));
    }
}
