// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** Freezes, resumes and ends processes on Linux, by their ids. Thread-safe. */
public final class Processes {

    private static final Path PROC = Path.of("/proc");
    private static final Duration FREEZE = Duration.ofSeconds(30);

    private Processes() {}

    /**
     * Sends a signal; processes that have ended meanwhile are skipped.
     *
     * @param name such as {@code KILL}
     */
    public static void signal(String name, Stream<Long> processes) {
        String ids = processes.map(String::valueOf).collect(Collectors.joining(" "));
        if (ids.isEmpty()) {
            return;
        }
        try {
            // uses the shell's builtin, because small images lack /bin/kill
            new ProcessBuilder("sh", "-c", "kill -s " + name + " -- " + ids)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Freezes processes with SIGSTOP, and returns when none of their threads runs any more: on a busy machine, a running thread may go on
     * for a while after the signal.
     *
     * @param processes lists the processes; called again until all are frozen, because one may start another meanwhile
     * @throws org.awaitility.core.ConditionTimeoutException if one still runs after 30 s
     */
    public static void freeze(Supplier<List<Long>> processes) {
        signal("STOP", processes.get().stream());
        Awaitility.await()
                .dontCatchUncaughtExceptions()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(FREEZE)
                .until(() -> {
                    List<Long> running = processes.get().stream()
                            .filter(process -> !isFrozen(process))
                            .toList();
                    signal("STOP", running.stream());
                    return running.isEmpty();
                });
    }

    private static boolean isFrozen(long process) {
        try (Stream<Path> threads =
                Files.list(PROC.resolve(Long.toString(process)).resolve("task"))) {
            return threads.map(thread -> state(thread.resolve("stat"))).allMatch(state -> "TtZX".indexOf(state) >= 0);
        } catch (NoSuchFileException itEnded) {
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the process is alive. Zombies do not count, because they hold neither ports nor files. */
    public static boolean isRunning(long process) {
        return "ZX".indexOf(state(PROC.resolve(Long.toString(process)).resolve("stat"))) < 0;
    }

    private static char state(Path stat) {
        try {
            String line = Files.readString(stat);
            // the state comes after the command's name, which is in parentheses and may contain blanks
            return line.charAt(line.lastIndexOf(')') + 2);
        } catch (IOException itEndedMeanwhile) {
            return 'X';
        }
    }
}
