// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.proof.demo.accounts.Accounts;
import io.safebunny.proof.demo.accounts.Counts;
import io.safebunny.proof.demo.accounts.Report;
import io.safebunny.proof.demo.accounts.Storage;
import io.safebunny.proof.demo.accounts.Tally;
import io.safebunny.proof.demo.command.Node;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.UsageException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Runs all nodes in this process and reports what became of the orders, placed by itself or by others. */
final class Run {

    private static final Duration PATIENCE_FOR_THE_BROKER = Duration.ofSeconds(30);
    private static final Duration PATIENCE_WHEN_INTERRUPTED = Duration.ofSeconds(20);
    private static final Duration PATIENCE_WITH_REPAIRS = Duration.ofMinutes(1);
    private static final Duration POLL = Duration.ofMillis(100);

    private final Options options;
    private final Interruption interruption;
    private final PrintStream out;

    Run(Options options, Interruption interruption, PrintStream out) {
        this.options = options;
        this.interruption = interruption;
        this.out = out;
    }

    /** Places the orders and reports the result. */
    Report placeOrders() {
        try (Storage storage = Storage.open(options);
                Saga saga = start(storage);
                Supervision supervision = Supervision.of(saga, options, storage)) {
            Shopping shopping = new Shopping(options, interruption, out, storage);
            long start = System.nanoTime();
            saga.traffic().moved();
            shopping.run(saga, () -> isOver(saga, supervision), tally -> supervision.look());
            double seconds = seconds(saga.traffic().lastMoved() - start);
            supervision.end();
            saga.stop();
            return report(options.orders(), shopping.accounts(), saga, seconds, supervision);
        }
    }

    /** Accepts orders from others until interrupted, and reports the result. */
    Report serve() {
        try (Storage storage = Storage.open(options);
                Saga saga = start(storage);
                Supervision supervision = Supervision.of(saga, options, storage)) {
            announce(saga);
            out.println("ready: publish PlaceOrder to exchange 'safebunny' with routing key 'storefront-PlaceOrder'");
            out.flush();
            long start = System.nanoTime();
            Accounts accounts = new Accounts(storage, "");
            while (!interruption.awaitFor(supervision.pause())) {
                if (!options.dashboard()) { // else whoever looks at the page repairs
                    supervision.look();
                }
            }
            finish(
                    saga,
                    accounts,
                    supervision,
                    0,
                    options.dashboard() ? PATIENCE_WITH_REPAIRS : PATIENCE_WHEN_INTERRUPTED);
            supervision.end();
            saga.stop();
            return report(accounts.tally().accepted(), accounts, saga, seconds(System.nanoTime() - start), supervision);
        }
    }

    /** Places orders one by one for somebody who looks at the page, and at the end repairs what that person has left. */
    Report show() {
        try (Storage storage = Storage.open(options);
                Saga saga = start(storage);
                Supervision supervision = Supervision.of(saga, options, storage)) {
            announce(saga);
            out.printf(
                    Locale.ROOT,
                    "It ends after %s, or when you press Enter. Until then only you repair, then the demo does what you have left.%n",
                    Shopping.lasts(options.orders()));
            out.flush();
            Shopping shopping = new Shopping(options, interruption, out, storage);
            long start = System.nanoTime();
            shopping.show(saga);
            out.println("Ending: what is in progress ends, and what you have left is repaired, in a minute at most.");
            out.flush();
            saga.resume("the demo ends");
            finish(saga, shopping.accounts(), supervision, shopping.placed(), PATIENCE_WITH_REPAIRS);
            supervision.end();
            saga.stop();
            return report(
                    shopping.placed(), shopping.accounts(), saga, seconds(System.nanoTime() - start), supervision);
        }
    }

    /** Says where to look: at all nodes, and the page of one of them. */
    private void announce(Saga saga) {
        Map<Node, String> addresses = saga.addresses();
        addresses.forEach((node, address) -> out.println(node.wireName() + ": " + address));
        if (options.dashboard()) {
            out.println("page: " + addresses.get(options.watched()) + "/safebunnyui");
            out.println("for the requests that it shows, in a shell: export ACTUATOR="
                    + addresses.get(options.watched())
                    + addresses.entrySet().stream()
                            .map(other -> " ACTUATOR_%s=%s"
                                    .formatted(other.getKey().wireName().toUpperCase(Locale.ROOT), other.getValue()))
                            .collect(Collectors.joining()));
            out.println(
                    "Open it in a browser. It shows the node "
                            + options.watched().wireName()
                            + " and links to the others, and whoever can open it may pause, replay and repair without a login:");
            out.println(
                    "that is for this demo only, and on this machine only. docs/dashboard.md says how to guard yours.");
            if (options.chaos()) {
                out.println(
                        "What is stuck waits for you. A retry or a replay helps some of it; what chaos has struck beyond repair fails again: fail such a saga, or skip the step.");
            }
        }
    }

    /**
     * Waits, for a limited time, until the orders in progress have ended.
     *
     * @param placed how many there are at least
     */
    private static void finish(Saga saga, Accounts accounts, Supervision supervision, long placed, Duration patience) {
        saga.traffic().moved(); // counts as movement: what was published just before may not have been delivered yet
        long deadline = System.nanoTime() + patience.toNanos();
        Interruption second = new Interruption(); // never requested: the first interruption is enough
        while (System.nanoTime() < deadline) {
            Tally tally = accounts.tally();
            if (tally.isComplete(Math.max(placed, tally.accepted())) && isOver(saga, supervision)) {
                return;
            }
            supervision.look();
            second.awaitFor(POLL);
        }
    }

    private static Report report(long orders, Accounts accounts, Saga saga, double seconds, Supervision supervision) {
        Counts counts = saga.counts();
        return Report.of(orders, accounts, counts, seconds, supervision.report(accounts, counts));
    }

    private static boolean isOver(Saga saga, Supervision supervision) {
        return saga.isIdle() && supervision.unfinished() == 0;
    }

    private Saga start(Storage storage) {
        Saga saga = Saga.start(Setup.of(options, storage), List.of(Node.values()));
        try {
            awaitReady(saga);
            return saga;
        } catch (RuntimeException e) {
            saga.close();
            throw e;
        }
    }

    private void awaitReady(Saga saga) {
        long deadline = System.nanoTime() + PATIENCE_FOR_THE_BROKER.toNanos();
        while (!saga.isReady() && !interruption.awaitFor(POLL)) {
            if (System.nanoTime() > deadline) {
                throw new UsageException(
                        "the broker does not answer, or does not have all queues. Check that it runs, and"
                                + " that the address is right");
            }
        }
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
