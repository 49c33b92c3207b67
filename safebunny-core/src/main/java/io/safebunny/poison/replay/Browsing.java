// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.elsewhere.InstanceOperations;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.Transport;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens the poison queue and its archive for browsing. Browsing takes the copies away from everybody else, so an operation at the same time
 * would find an empty queue and end. Within one instance, browsing and operations therefore wait for each other. Thread-safe.
 */
final class Browsing {

    private final Transport transport;
    private final Lock lock = new ReentrantLock(true); // fair: others get a turn between two copies

    // guarded by this
    private int open;
    private long begun;

    Browsing(Transport transport) {
        this.transport = transport;
    }

    /** Browses while no operation takes copies. Waits for others who are browsing. */
    <T extends @Nullable Object> T alone(String queue, Function<BrowsedQueue, T> look) {
        return locked(() -> {
            begin();
            try (BrowsedQueue browsed = transport.browse(queue)) {
                return look.apply(browsed);
            } finally {
                end();
            }
        });
    }

    /** How often browsing has begun; {@code -1} while somebody browses here, and holds copies that the broker does not count. */
    synchronized long quiet() {
        return open == 0 ? begun : -1;
    }

    /** What other instances are told of it, and of operations. */
    synchronized InstanceOperations shared(List<OtherInstances.Operation> operations) {
        return new InstanceOperations(begun, open > 0, operations);
    }

    private synchronized void begin() {
        open++;
        begun++;
    }

    private synchronized void end() {
        open--;
    }

    /**
     * For a long operation: others may browse between two of its copies. They have put back their copies before the operation takes its
     * next one.
     */
    BrowsedQueue byTurns(String queue) {
        begin();
        try {
            return new ByTurns(locked(() -> transport.browse(queue)));
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> task) {
        lock.lock();
        try {
            return task.get();
        } finally {
            lock.unlock();
        }
    }

    private final class ByTurns implements BrowsedQueue {

        private final BrowsedQueue browsed;
        private final AtomicBoolean closed = new AtomicBoolean();

        ByTurns(BrowsedQueue browsed) {
            this.browsed = browsed;
        }

        @Override
        public long waiting() {
            return browsed.waiting();
        }

        @Override
        public @Nullable Delivery next() {
            return Browsing.this.<@Nullable Delivery>locked(browsed::next);
        }

        @Override
        public void close() {
            try {
                Object unused = Browsing.this.<@Nullable Object>locked(() -> {
                    browsed.close();
                    return null;
                });
            } finally {
                if (closed.compareAndSet(false, true)) {
                    end();
                }
            }
        }
    }
}
