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

/** Runs all nodes in this process and reports what became of the orders, placed by itself or by others. */
final class Run {

    private static final Duration PATIENCE_FOR_THE_BROKER = Duration.ofSeconds(30);
    private static final Duration PATIENCE_WHEN_INTERRUPTED = Duration.ofSeconds(20);
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
            saga.addresses().forEach((node, address) -> out.println(node.wireName() + ": " + address));
            out.println("ready: publish PlaceOrder to exchange 'safebunny' with routing key 'storefront-PlaceOrder'");
            out.flush();
            long start = System.nanoTime();
            Accounts accounts = new Accounts(storage, "");
            while (!interruption.awaitFor(supervision.pause())) {
                supervision.look();
            }
            finish(saga, accounts, supervision);
            supervision.end();
            saga.stop();
            return report(accounts.tally().accepted(), accounts, saga, seconds(System.nanoTime() - start), supervision);
        }
    }

    /** Waits, for a limited time, until the orders in progress have ended. */
    private static void finish(Saga saga, Accounts accounts, Supervision supervision) {
        saga.traffic().moved(); // counts as movement: what was published just before may not have been delivered yet
        long deadline = System.nanoTime() + PATIENCE_WHEN_INTERRUPTED.toNanos();
        Interruption second = new Interruption(); // never requested: the first interruption is enough
        while (System.nanoTime() < deadline) {
            Tally tally = accounts.tally();
            if (tally.isComplete(tally.accepted()) && isOver(saga, supervision)) {
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
