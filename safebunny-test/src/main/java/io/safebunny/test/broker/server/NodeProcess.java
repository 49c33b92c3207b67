// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker.server;

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

    public void signal(String name) {
        if (!isAlive()) {
            return;
        }
        try {
            // the shell's builtin: small images lack /bin/kill
            new ProcessBuilder("sh", "-c", "kill -s " + name + " -- -" + leader.pid())
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

    /** Whether the group has a living member; zombies hold neither ports nor files and do not count. */
    public boolean isAlive() {
        try (Stream<Path> processes = Files.list(PROC)) {
            String group = Long.toString(leader.pid());
            return processes
                    .filter(path ->
                            Character.isDigit(path.getFileName().toString().charAt(0)))
                    .anyMatch(path -> livesIn(group, path.resolve("stat")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean livesIn(String group, Path stat) {
        try {
            String line = Files.readString(stat);
            // state, parent and group follow the command's name, which is in parentheses and may contain blanks
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", 4);
            return fields[2].equals(group) && !fields[0].equals("Z") && !fields[0].equals("X");
        } catch (IOException itEndedMeanwhile) {
            return false;
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
