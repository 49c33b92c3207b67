// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs all nodes in this process and reports what became of the orders, placed by itself or by others. */
final class Run {

    private static final Logger LOG = LoggerFactory.getLogger(Run.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
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
                Saga saga = Saga.start(Setup.of(options, storage), List.of(Node.values()))) {
            awaitReady(saga);
            Shopping shopping = new Shopping(options, interruption, out, storage);
            long start = System.nanoTime();
            saga.traffic().moved();
            shopping.run(saga, saga::isIdle, tally -> {});
            double seconds = seconds(saga.traffic().lastMoved() - start);
            saga.stop();
            return Report.of(options.orders(), shopping.accounts(), saga.counts(), seconds);
        }
    }

    /** Accepts orders from others until interrupted, and reports the result. */
    Report serve() {
        try (Storage storage = Storage.open(options);
                Saga saga = Saga.start(Setup.of(options, storage), List.of(Node.values()))) {
            awaitReady(saga);
            saga.addresses().forEach((node, address) -> out.println(node.wireName() + ": " + address));
            out.println("ready: publish PlaceOrder to exchange 'safebunny' with routing key 'storefront-PlaceOrder'");
            out.flush();
            long start = System.nanoTime();
            Accounts accounts = new Accounts(storage, "");
            while (!interruption.awaitFor(PATIENCE)) {
                LOG.debug("{} messages delivered again so far", saga.traffic().duplicates());
            }
            finish(saga, accounts);
            saga.stop();
            return Report.of(accounts.tally().accepted(), accounts, saga.counts(), seconds(System.nanoTime() - start));
        }
    }

    /** Waits, for a limited time, until the orders in progress have ended. */
    private static void finish(Saga saga, Accounts accounts) {
        saga.traffic().moved(); // counts as movement: what was published just before may not have been delivered yet
        long deadline = System.nanoTime() + PATIENCE_WHEN_INTERRUPTED.toNanos();
        Interruption second = new Interruption(); // never requested: the first interruption is enough
        while (System.nanoTime() < deadline) {
            Tally tally = accounts.tally();
            if (tally.isComplete(tally.accepted()) && saga.isIdle()) {
                return;
            }
            second.awaitFor(POLL);
        }
    }

    private void awaitReady(Saga saga) {
        long deadline = System.nanoTime() + PATIENCE_FOR_THE_BROKER.toNanos();
        while (!saga.isReady() && !interruption.awaitFor(POLL)) {
            if (System.nanoTime() > deadline) {
                throw new UsageException("the broker does not answer, or does not have all queues; is it running, and"
                        + " is the address right?");
            }
        }
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
