// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.child;

import io.safebunny.test.process.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process that is to end before its time, most often one that runs {@link ChildMain}. Ends with this one, because that closes its standard input. */
public final class Child implements AutoCloseable {

    private static final Duration END = Duration.ofSeconds(20);

    private final String name;
    private final Process process;

    private Child(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    /** @param log receives all of its output */
    public static Child start(ChildOptions options, Path log) {
        return start(options.process(), ChildMain.class, ChildOptions.VARIABLE, options.toText(), log);
    }

    /**
     * Starts a process that runs another main class.
     *
     * @param variable environment variable in which it finds its options
     * @param log receives all of its output
     */
    public static Child start(String process, Class<?> main, String variable, String options, Path log) {
        List<String> command = List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx160m",
                "-Dcrash.level=info",
                "-Djava.util.concurrent.ForkJoinPool.common.parallelism=8",
                "-DCOSMOS.EMULATOR_SERVER_CERTIFICATE_VALIDATION_DISABLED=true",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        // not as an argument: it contains passwords, and arguments are visible to everybody on the machine
        builder.environment().put(variable, options);
        try {
            return new Child(process, builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String name() {
        return name;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGSTOP: all its threads stop, and nobody notices. */
    public void freeze() {
        // unlike the others, it would not notice that this process has ended
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        Processes.freeze(() -> List.of(process.pid()));
    }

    /** Sends SIGCONT. */
    public void thaw() {
        Processes.signal("CONT", Stream.of(process.pid()));
    }

    /** Waits for it to end, in whatever way. */
    public boolean hasEndedWithin(Duration duration) {
        try {
            return process.waitFor(duration.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Asks it to shut down cleanly. */
    public void stop() {
        try {
            process.getOutputStream().close();
        } catch (IOException alreadyEnded) {
            return;
        }
        if (!hasEndedWithin(END)) {
            throw new IllegalStateException("Process %s does not end. Check its output.".formatted(name));
        }
    }

    /** Sends SIGKILL, unless it has ended. */
    @Override
    public void close() {
        process.destroyForcibly();
        hasEndedWithin(END);
    }
}
