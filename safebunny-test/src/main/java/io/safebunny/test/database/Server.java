// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import io.safebunny.test.process.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** One running server in its own process group, which also ends with this JVM, however that ends. */
final class Server implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration STOP = Duration.ofSeconds(30);

    /** Standard input is a pipe that breaks when the JVM ends; the group then kills itself. */
    private static final String LIFELINE =
            "exec 3<&0 </dev/null; ( cat <&3 >/dev/null; kill -s KILL 0 ) & exec 3<&-; exec \"$@\"";

    private final ServerFolder folder;
    private final List<String> command;
    private final Ready ready;
    private final Thread hook = new Thread(this::end, "end-database-server");
    private @Nullable Process process;

    /** Checks whether the server accepts connections; throws if it does not yet. */
    @FunctionalInterface
    interface Ready {
        void check() throws Exception;
    }

    Server(ServerFolder folder, List<String> command, Ready ready) {
        this.folder = folder;
        this.command = command;
        this.ready = ready;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts or restarts the server; returns when it accepts connections. After a kill, a process that was just being forked may hold the
     * data for a moment longer, so a server that ends at once is started again.
     */
    synchronized void start() {
        try {
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(200))
                    .atMost(START)
                    .until(this::isStarted);
        } catch (ConditionTimeoutException tooLong) {
            kill();
            throw new DatabaseUnavailableException(
                    "The server did not start [%s]: see the end of its log below.%n%s"
                            .formatted(command.get(0), folder.logTail()),
                    null);
        }
    }

    /** Starts the server and waits. Whether it accepts connections; {@code false} if it has ended instead. */
    private boolean isStarted() {
        List<String> whole = new ArrayList<>(List.of("setsid", "sh", "-c", LIFELINE, "sh"));
        whole.addAll(ServerFolder.unprivileged(command));
        try {
            Process started = new ProcessBuilder(whole)
                    .redirectErrorStream(true)
                    .redirectOutput(
                            ProcessBuilder.Redirect.appendTo(folder.log().toFile()))
                    .start();
            process = started;
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(100))
                    .atMost(START)
                    .until(() -> !started.isAlive() || isReady());
            return started.isAlive();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isReady() {
        try {
            ready.check();
            return true;
        } catch (Exception notYet) {
            return false;
        }
    }

    synchronized void freeze() {
        Process running = running();
        Processes.freeze(() -> all(running).toList());
    }

    synchronized void resume() {
        Processes.signal("CONT", all(running()));
    }

    private Process running() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException(
                    "The server does not run [%s]: it was killed or closed. Call restart() first."
                            .formatted(command.get(0)));
        }
        return running;
    }

    /** The ids of all its processes; not by group, because PostgreSQL's processes have their own groups. */
    private static Stream<Long> all(Process running) {
        return Stream.concat(Stream.of(running.toHandle()), running.descendants())
                .map(ProcessHandle::pid);
    }

    /** Ends all processes of the server with SIGKILL; the data that it had written stays. */
    synchronized void kill() {
        Process running = process;
        if (running != null) {
            Processes.freeze(() -> all(running).toList()); // otherwise a list of them may be incomplete
            List<Long> processes = all(running).toList();
            Processes.signal("KILL", processes.stream());
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .atMost(STOP)
                    .until(() -> processes.stream().noneMatch(Processes::isRunning));
            process = null;
        }
    }

    private void end() {
        kill();
        folder.delete();
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException alreadyShuttingDown) {
            return;
        }
    }
}
