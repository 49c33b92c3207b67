// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker.server;

import io.safebunny.test.process.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** The process group of one running node: the server, its helpers and the shell. Signalled by process id, never by name. */
public final class NodeProcess {

    private static final Path PROC = Path.of("/proc");

    private final Process leader;

    private NodeProcess(Process leader) {
        this.leader = leader;
    }

    /** Starts the command as leader of its own session, with only the given environment. */
    public static NodeProcess start(List<String> command, Map<String, String> environment, Path log) {
        return start(command, environment, log, log);
    }

    public static NodeProcess start(List<String> command, Map<String, String> environment, Path output, Path errors) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(output.equals(errors))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()));
        builder.environment().clear();
        builder.environment().putAll(environment);
        try {
            return new NodeProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Freezes the whole group; returns when none of its threads runs any more. */
    public void freeze() {
        Processes.freeze(this::members);
    }

    /** Signals the whole group, if it lives. */
    public void signal(String name) {
        if (isAlive()) {
            Processes.signal(name, Stream.of(-leader.pid()));
        }
    }

    /** Whether the group has a living member. */
    public boolean isAlive() {
        return members().stream().anyMatch(Processes::isRunning);
    }

    private List<Long> members() {
        try (Stream<Path> processes = Files.list(PROC)) {
            String group = Long.toString(leader.pid());
            return processes
                    .filter(path ->
                            Character.isDigit(path.getFileName().toString().charAt(0)))
                    .filter(path -> group.equals(group(path.resolve("stat"))))
                    .map(path -> Long.parseLong(path.getFileName().toString()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String group(Path stat) {
        try {
            String line = Files.readString(stat);
            // state, parent and group come after the command's name, which is in parentheses and may contain blanks
            return line.substring(line.lastIndexOf(')') + 2).split(" ", 4)[2];
        } catch (IOException itEndedMeanwhile) {
            return "";
        }
    }

    /** Whether the whole group ended within the time. */
    public boolean endsWithin(Duration time) {
        try {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .atMost(time)
                    .until(() -> !isAlive());
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }

    /** Whether the group's leader exited with success. */
    public boolean hasSucceeded() {
        try {
            return leader.waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
