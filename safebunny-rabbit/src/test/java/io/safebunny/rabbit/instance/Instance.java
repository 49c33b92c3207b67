// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.instance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One instance of a node in a process of its own. Thread-safe. */
public final class Instance implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);

    private final Process process;
    private final Thread reader;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();

    private Instance(Process process, Consumer<String> ledger) {
        this.process = process;
        this.reader = new Thread(() -> read(ledger), "ledger-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** @param ledger is given the id of each job when it was handled, even if the process died before it could tell the broker */
    public static Instance start(InstanceOptions options, Consumer<String> ledger) {
        return start(InstanceMain.class, List.of(), options, ledger);
    }

    /**
     * @param main its {@code main} calls {@link InstanceMain#serve} with {@link InstanceOptions#of its arguments}
     * @param flags for the virtual machine
     * @param ledger is given what the handlers tell theirs, even if the process died right afterwards
     */
    public static Instance start(Class<?> main, List<String> flags, InstanceOptions options, Consumer<String> ledger) {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        command.addAll(flags);
        command.add(main.getName());
        command.addAll(options.toArguments());
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().put(InstanceOptions.PASSWORD, options.password());
            return new Instance(builder.start(), ledger);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Complete lines only: the last one of a killed process may be cut. */
    private void read(Consumer<String> ledger) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(InstanceMain.READY)) {
                    ready.complete(null);
                } else if (line.startsWith(InstanceMain.HANDLED) && line.endsWith(".")) {
                    ledger.accept(line.substring(InstanceMain.HANDLED.length(), line.length() - 1));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            ready.complete(null); // a message may end it before it can say so
        }
    }

    /** Or ended: look whether it is alive. */
    public Instance awaitReady() {
        ready.orTimeout(START.toSeconds(), TimeUnit.SECONDS).join();
        return this;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM: it finishes what it has begun. */
    public void terminate() {
        process.toHandle().destroy(); // the process's own method would close the ledger's stream
        awaitEnd();
    }

    /** SIGKILL. */
    public void kill() {
        process.toHandle().destroyForcibly();
        awaitEnd();
    }

    /** Waits until it has ended and all it told is in the ledger. */
    public void awaitEnd() {
        try {
            if (!process.waitFor(START.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("Process " + process.pid() + " does not end");
            }
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }
}
