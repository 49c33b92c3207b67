// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** Runs a task when told to, on the caller's thread; called within a task it is another worker beside it. */
final class ManualWorkers implements Executor {

    private final Deque<Runnable> tasks = new ArrayDeque<>();

    /** Whether there is a thread for a task. */
    boolean full;

    @Override
    public void execute(Runnable task) {
        if (full) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        tasks.add(task);
    }

    int asked() {
        return tasks.size();
    }

    void runOne() {
        tasks.remove().run();
    }

    /** Until nobody asks for more. */
    void runAll() {
        while (!tasks.isEmpty()) {
            runOne();
        }
    }
}
