// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.proof.demo.accounts.Counts;
import io.safebunny.proof.demo.command.Node;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * One of two instances of the consuming nodes, in a process that {@link InstanceProcess} started. It reads its {@link Setup} from
 * the first line of standard input, prints {@code ready}, works until it reads {@code stop}, and answers with its {@link Counts}.
 * If its input ends before that, its parent is dead, and it halts at once.
 */
final class Instance {

    static final String ARGUMENT = "--instance";
    static final String READY = "ready";
    static final String STOP = "stop";

    private static final Logger LOG = LoggerFactory.getLogger(Instance.class);
    private static final List<Node> NODES =
            Arrays.stream(Node.values()).filter(node -> node != Node.STOREFRONT).toList();
    private static final Duration PATIENCE_FOR_THE_BROKER = Duration.ofSeconds(30);
    private static final Duration PATIENCE_FOR_SILENCE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(100);

    /** A sweeper sends the publications that a killed instance left behind after one to two leases, and then they are handled. */
    private static final Duration QUIET = InstanceProcess.LEASE.multipliedBy(2).plusSeconds(1);

    private final Interruption stop = new Interruption();
    private final BufferedReader commands;
    private final PrintStream answers;

    private Instance(InputStream commands, PrintStream answers) {
        this.commands = new BufferedReader(new InputStreamReader(commands, StandardCharsets.UTF_8));
        this.answers = answers;
    }

    /** @return the exit status */
    static int run(InputStream commands, PrintStream answers) {
        try {
            new Instance(commands, answers).run();
            return 0;
        } catch (IOException | RuntimeException e) {
            LOG.error("The instance failed", e);
            return 1;
        }
    }

    private void run() throws IOException {
        String line = commands.readLine();
        if (line == null) {
            return;
        }
        Setup setup = JsonMapper.shared().readValue(line, Setup.class);
        Thread lifeline = new Thread(this::listen, "demo-lifeline");
        lifeline.setDaemon(true);
        lifeline.start();
        try (Saga saga = Saga.start(setup, NODES)) {
            await(PATIENCE_FOR_THE_BROKER, saga::isReady);
            answers.println(READY);
            answers.flush();
            boolean stopped;
            do {
                stopped = stop.awaitFor(PATIENCE_FOR_SILENCE);
            } while (!stopped);
            await(PATIENCE_FOR_SILENCE, () -> saga.traffic().quietFor(QUIET));
            saga.stop();
            answers.println(JsonMapper.shared().writeValueAsString(saga.counts()));
            answers.flush();
        }
    }

    private void listen() {
        try {
            String line;
            do {
                line = commands.readLine();
            } while (line != null && !line.equals(STOP));
            if (line != null) {
                stop.request();
                line = commands.readLine();
            }
        } catch (IOException e) {
            LOG.debug("The parent process is gone", e);
        }
        Runtime.getRuntime().halt(1);
    }

    private static void await(Duration patience, BooleanSupplier condition) {
        long deadline = System.nanoTime() + patience.toNanos();
        Interruption nobodyRequests = new Interruption();
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            nobodyRequests.awaitFor(POLL);
        }
    }
}
