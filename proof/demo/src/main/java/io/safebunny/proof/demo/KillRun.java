// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.proof.demo.accounts.Accounts;
import io.safebunny.proof.demo.accounts.Counts;
import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.accounts.Storage;
import io.safebunny.proof.demo.accounts.Tally;
import io.safebunny.proof.demo.command.Node;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.RabbitAddress;
import io.safebunny.proof.demo.command.UsageException;
import io.safebunny.test.broker.BrokerUnavailableException;
import io.safebunny.test.broker.RabbitNode;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Places orders with two instances of the consuming nodes, each in a separate process, kills one of them when half of the orders
 * have ended, and checks whether the other one carries on.
 */
final class KillRun {

    private final Options options;
    private final Interruption interruption;
    private final PrintStream out;

    /** Which process was killed, and when. */
    private record Death(long process, long endedBefore, double seconds) {}

    KillRun(Options options, Interruption interruption, PrintStream out) {
        this.options = options;
        this.interruption = interruption;
        this.out = out;
    }

    Report run() {
        if (options.rabbit() != null) {
            return run(options);
        }
        if (RabbitNode.installedRoot().isEmpty()) {
            throw new UsageException(
                    "--kill needs a RabbitMQ, because the broker must outlive the process that is killed. Set its"
                            + " address with --rabbit, or install one: export SAFEBUNNY_RABBIT_ROOT=$(bin/broker install 3.10)");
        }
        try (RabbitNode rabbit = RabbitNode.start()) {
            return run(
                    options.withRabbit(RabbitAddress.parse(rabbit.broker().uri().toString())));
        } catch (BrokerUnavailableException e) {
            throw new UsageException(
                    "no private RabbitMQ for --kill. Use --rabbit for one that runs already: " + e.getMessage());
        }
    }

    private Report run(Options placed) {
        try (Storage storage = Storage.open(placed)) {
            Setup setup = Setup.of(placed, storage);
            try (InstanceProcess first = InstanceProcess.start(setup);
                    InstanceProcess second = InstanceProcess.start(setup)) {
                first.awaitReady();
                second.awaitReady();
                say("two instances of the nodes are ready: process %d and process %d", first.pid(), second.pid());
                return run(placed, storage, setup, first, second);
            }
        }
    }

    private Report run(Options placed, Storage storage, Setup setup, InstanceProcess victim, InstanceProcess survivor) {
        Shopping shopping = new Shopping(placed, interruption, out, storage);
        try (Saga storefront = Saga.start(setup, List.of(Node.STOREFRONT));
                Saga console = placed.orchestrated() ? Saga.console(setup) : storefront;
                Supervision supervision = Supervision.of(console, placed, storage)) {
            long start = System.nanoTime();
            Executioner executioner = new Executioner(victim, start);
            shopping.run(storefront, () -> executioner.isDone() && supervision.unfinished() == 0, tally -> {
                executioner.look(tally);
                supervision.look();
            });
            double seconds = (System.nanoTime() - start) / 1e9;
            Counts counts = survivor.stop();
            Death death = executioner.death;
            if (death != null) {
                say(
                        "process %d went on [messages that the broker gave it again: %d, claims it took over: %d]",
                        survivor.pid(), counts.redelivered(), counts.claimsTakenOver());
            }
            supervision.end();
            storefront.stop();
            Counts all = counts.plus(storefront.counts());
            Accounts accounts = shopping.accounts();
            return Report.of(options.orders(), accounts, all, seconds, supervision.report(accounts, all));
        }
    }

    private void say(String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
        out.flush();
    }

    /** Kills one instance, once, half-way. Confined to one thread. */
    private final class Executioner {

        private final InstanceProcess victim;
        private final long start;
        private @Nullable Death death;

        Executioner(InstanceProcess victim, long start) {
            this.victim = victim;
            this.start = start;
        }

        void look(Tally tally) {
            if (death == null && 2 * tally.ended() >= options.orders()) {
                victim.kill();
                death = new Death(victim.pid(), tally.ended(), (System.nanoTime() - start) / 1e9);
                say(
                        "killed process %d (SIGKILL) %.1f s after the first order, when %,d of %,d orders had ended",
                        death.process, death.seconds, death.endedBefore, options.orders());
            }
        }

        boolean isDone() {
            return death != null;
        }
    }
}
