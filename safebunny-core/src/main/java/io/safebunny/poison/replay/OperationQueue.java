// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.failure.MisuseException;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.elsewhere.InstanceOperations;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Runs one operation at a time and remembers the last hundred. Thread-safe. */
final class OperationQueue {

    private static final int REMEMBERED = 100;
    private static final int MOST_GROUPS = 5_000;

    private final Executor blocking;
    private final Deque<TrackedOperation> lastFirst = new ArrayDeque<>(); // guarded by this, like the running operation
    private @Nullable TrackedOperation running;
    /** Of operations that are forgotten. */
    private @Nullable Instant broughtBackBefore;

    /** @param blocking runs each operation as one task */
    OperationQueue(Executor blocking) {
        this.blocking = blocking;
    }

    /** @throws MisuseException SB-5016 when another operation runs */
    void begin(TrackedOperation operation, Runnable run) {
        enter(operation);
        try {
            blocking.execute(() -> runAndLeave(operation, run));
        } catch (RuntimeException | Error e) {
            forget(operation);
            throw e;
        }
    }

    /**
     * Runs the operation to its end on the calling thread.
     *
     * @throws MisuseException SB-5016 when another operation runs; also throws what the run throws
     */
    void run(TrackedOperation operation, Runnable run) {
        enter(operation);
        runAndLeave(operation, run);
    }

    private void runAndLeave(TrackedOperation operation, Runnable run) {
        try {
            run.run();
        } finally {
            leave(operation);
        }
    }

    private synchronized void enter(TrackedOperation operation) {
        if (running != null) {
            throw new MisuseException(
                    MisuseException.BUSY,
                    "Another operation on poison messages runs on this instance [operation=%s]: wait for its end, or cancel it."
                            .formatted(running.id()));
        }
        forgetGroups();
        running = operation;
        lastFirst.addFirst(operation);
        if (lastFirst.size() > REMEMBERED) {
            broughtBackBefore = later(broughtBackBefore, lastFirst.removeLast().broughtBackAt());
        }
    }

    /** Makes room for the groups of one more operation. Of what was moved they are missed less than of what was counted. */
    private void forgetGroups() {
        List<TrackedOperation> dryRunsFirst = new ArrayList<>(lastFirst);
        dryRunsFirst.sort(Comparator.comparing(operation -> !operation.request().dryRun()));
        int groups = 0;
        for (TrackedOperation operation : dryRunsFirst) {
            groups += operation.groupCount();
            if (groups > MOST_GROUPS) {
                operation.forgetGroups();
            }
        }
    }

    private synchronized void leave(TrackedOperation operation) {
        if (running == operation) {
            running = null;
        }
        operation.leave();
    }

    private synchronized void forget(TrackedOperation operation) {
        leave(operation);
        lastFirst.remove(operation);
    }

    /** The operation that runs; {@code null} if none does. */
    synchronized @Nullable TrackedOperation running() {
        return running;
    }

    /** The last ones, as other instances are told of them. */
    synchronized List<OtherInstances.Operation> shared() {
        return lastFirst.stream()
                .limit(InstanceOperations.MOST)
                .map(TrackedOperation::shared)
                .toList();
    }

    /** When one of them last sent a copy to where it may be handled later; {@code null} if none has since the start. */
    synchronized @Nullable Instant broughtBackAt() {
        Instant latest = broughtBackBefore;
        for (TrackedOperation operation : lastFirst) {
            latest = later(latest, operation.broughtBackAt());
        }
        return latest;
    }

    private static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
        return one == null || (other != null && other.isAfter(one)) ? other : one;
    }

    synchronized List<PoisonOperation> all() {
        return List.copyOf(lastFirst);
    }

    /** Cancels the running operation, which ends before its next copy. */
    synchronized void stop() {
        if (running != null) {
            running.cancel();
        }
    }
}
