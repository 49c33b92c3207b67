// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Describes what a thread is doing. */
final class Report {

    private static final int MOST_LINES = 25;

    private static final Set<String> HIDDEN = Set.of(
            DeterministicScheduler.class.getName(),
            Turn.class.getName(),
            OutsideChanges.class.getName(),
            SimulatedProcess.class.getName(),
            LockSupport.class.getName(),
            "jdk.internal.misc.Unsafe");

    private Report() {}

    static String stuck(@Nullable Thread thread, Duration time) {
        return "A task has been running for %s s of real time. In virtual time a task must not sleep, wait for a lock of its own, or start threads and wait for them; let it wait on the Timeline: a bean in a @BunnyTest, node.timeline() in a simulation.%s"
                .formatted(time.toSeconds(), thread == null ? "" : lines(thread));
    }

    /** The thread's stack, without the scheduler's own frames. */
    static String lines(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> !HIDDEN.contains(frame.getClassName().split("\\$", 2)[0]))
                .limit(MOST_LINES)
                .map(frame -> System.lineSeparator() + "    at " + frame)
                .collect(Collectors.joining());
    }
}
