// SPDX-License-Identifier: Apache-2.0
package io.safebunny.replaying;

import io.safebunny.failure.MisuseException;
import io.safebunny.poison.PoisonOperation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One operation at a time, and the last ones. Thread-safe. */
final class Operations {

    private static final int REMEMBERED = 100;

    private final Executor blocking;
    private final Deque<PoisonOperation> lastFirst = new ArrayDeque<>(); // guarded by this, as is the one that runs
    private @Nullable PoisonOperation running;

    /** @param blocking runs each as one task */
    Operations(Executor blocking) {
        this.blocking = blocking;
    }

    /** @throws MisuseException SB-5016 when another one runs */
    void begin(QueueOperation operation) {
        enter(operation);
        try {
            blocking.execute(() -> {
                try {
                    operation.run();
                } finally {
                    leave(operation);
                }
            });
        } catch (RuntimeException | Error e) {
            forget(operation);
            throw e;
        }
    }

    /**
     * Runs it to its end.
     *
     * @throws MisuseException SB-5016 when another one runs; and what the operation throws
     */
    void run(EditOperation operation) {
        enter(operation);
        try {
            operation.run();
        } finally {
            leave(operation);
        }
    }

    private synchronized void enter(PoisonOperation operation) {
        if (running != null) {
            throw new MisuseException(
                    MisuseException.BUSY,
                    "Another operation on poison messages runs on this instance [operation=%s]: wait for its end, or cancel it."
                            .formatted(running.id()));
        }
        running = operation;
        lastFirst.addFirst(operation);
        if (lastFirst.size() > REMEMBERED) {
            lastFirst.removeLast();
        }
    }

    private synchronized void leave(PoisonOperation operation) {
        if (running == operation) {
            running = null;
        }
    }

    private synchronized void forget(PoisonOperation operation) {
        leave(operation);
        lastFirst.remove(operation);
    }

    synchronized List<PoisonOperation> all() {
        return List.copyOf(lastFirst);
    }

    /** Ends the one that runs, before its next copy. */
    synchronized void stop() {
        if (running != null) {
            running.cancel();
        }
    }
}
