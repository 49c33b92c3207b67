// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.proof.demo.accounts.Counts;
import io.safebunny.proof.demo.accounts.Storage;
import io.safebunny.proof.demo.command.UsageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

/** An {@link Instance} as seen from its parent process. It ends when this is closed, or when the parent dies. */
final class InstanceProcess implements AutoCloseable {

    /** {@code safebunny.dedup.lease} of the instances: how long the claim of a killed one is respected. */
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final String LAUNCHER = "org.springframework.boot.loader.launch.JarLauncher";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Process process;
    private final PrintStream commands;
    private final BufferedReader answers;

    private InstanceProcess(Process process) {
        this.process = process;
        this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    static InstanceProcess start(Setup setup) {
        try {
            Process process = new ProcessBuilder(command())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            InstanceProcess instance = new InstanceProcess(process);
            // not as an argument: it contains passwords, and arguments are visible to everybody on the machine
            instance.commands.println(JsonMapper.shared().writeValueAsString(setup));
            return instance;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m"));
        if (Boolean.getBoolean(Storage.ANY_CERTIFICATE)) {
            command.add("-D" + Storage.ANY_CERTIFICATE + "=true");
        }
        // runs from the jar that bin/demo starts, or from the class path of a test
        String main =
                ClassUtils.isPresent(LAUNCHER, ClassLoader.getSystemClassLoader()) ? LAUNCHER : Demo.class.getName();
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main, Instance.ARGUMENT));
        return command;
    }

    long pid() {
        return process.pid();
    }

    /** @throws UsageException when it ended instead; its log says why */
    void awaitReady() {
        if (!Instance.READY.equals(answer())) {
            throw new UsageException("an instance of the nodes did not start. Check its output above");
        }
    }

    /** Kills it with SIGKILL, so that it cannot finish anything. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Stops it after it has finished the messages in work. */
    Counts stop() {
        commands.println(Instance.STOP);
        String counts = answer();
        if (counts == null) {
            throw new UsageException("an instance of the nodes ended before it was told to. Check its output above");
        }
        return JsonMapper.shared().readValue(counts, Counts.class);
    }

    private @Nullable String answer() {
        CompletableFuture<@Nullable String> line = CompletableFuture.supplyAsync(this::readLine);
        try {
            return line.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new UsageException("an instance of the nodes does not answer. Check its output above");
        } catch (ExecutionException e) {
            return null; // it was closed while we waited for its answer
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private @Nullable String readLine() {
        try {
            return answers.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
