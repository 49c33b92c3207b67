// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import io.safebunny.samples.orders.chaos.Chaos;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.samples.orders.storefront.Storefront;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Places orders with the nodes and watches the ledger until the last one came to its end, or nothing goes on any more.
 */
final class Run {

    private static final Logger LOG = LoggerFactory.getLogger(Run.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PATIENCE_FOR_THE_BROKER = Duration.ofSeconds(30);
    private static final Duration PATIENCE_WHEN_INTERRUPTED = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final double CLICKED_TWICE = 0.05;

    private final Options options;
    private final Interruption interruption;
    private final PrintStream out;

    Run(Options options, Interruption interruption, PrintStream out) {
        this.options = options;
        this.interruption = interruption;
        this.out = out;
    }

    /** Places the orders and reports what became of them. */
    Report placeOrders() {
        OrderGenerator generator = OrderGenerator.of(options);
        try (Saga saga = Saga.start(options, List.of(Node.values()))) {
            awaitReady(saga);
            Accounts accounts = new Accounts(saga.ledger(), generator.prefix());
            long start = System.nanoTime();
            saga.traffic().moved();
            CompletableFuture<Void> placing = CompletableFuture.completedFuture(saga)
                    .thenComposeAsync(started -> place(generator, started))
                    .whenComplete(Run::warnOfRefusals);
            awaitEnd(saga, accounts, placing);
            double seconds = seconds(saga.traffic().lastMoved() - start);
            saga.stop();
            return Report.of(options.orders(), accounts.tally(), saga, seconds);
        }
    }

    private CompletableFuture<Void> place(OrderGenerator generator, Saga saga) {
        Storefront storefront = saga.storefront();
        Chaos chaos = saga.chaos();
        List<CompletableFuture<String>> placed = new ArrayList<>();
        for (int number = 1; number <= options.orders() && !interruption.awaitFor(Duration.ZERO); number++) {
            PlaceOrder order = generator.order(number);
            placed.add(storefront.place(order));
            if (chaos != null && chaos.strikes("click", order.orderId(), CLICKED_TWICE)) {
                placed.add(storefront.place(order));
            }
        }
        return CompletableFuture.allOf(placed.toArray(CompletableFuture[]::new));
    }

    private static void warnOfRefusals(@Nullable Void none, @Nullable Throwable failure) {
        if (failure != null) {
            LOG.warn("Not all orders could be placed; those that were not count as lost", failure);
        }
    }

    private void awaitEnd(Saga saga, Accounts accounts, CompletableFuture<Void> placing) {
        Progress progress = Progress.of(options, out);
        long reached = -1;
        long since = System.nanoTime();
        Duration pause = POLL;
        while (!interruption.awaitFor(pause)) {
            long asked = System.nanoTime();
            Tally tally = accounts.tally();
            long now = System.nanoTime();
            progress.show(tally.ended(), options.orders());
            if (tally.progress() != reached) {
                reached = tally.progress();
                since = now;
            }
            boolean over = placing.isDone() && tally.isComplete(options.orders()) && saga.isIdle();
            if (over || now - since > PATIENCE.toNanos()) {
                break;
            }
            // asking costs the more the longer the ledger is
            pause = Duration.ofNanos(Math.max(POLL.toNanos(), 10 * (now - asked)));
        }
        progress.clear();
    }

    /** Takes orders from others until interrupted and reports what became of them. */
    Report serve() {
        try (Saga saga = Saga.start(options, List.of(Node.values()))) {
            awaitReady(saga);
            out.println("ready: publish PlaceOrder to exchange 'safebunny' with routing key 'storefront-PlaceOrder'");
            out.flush();
            long start = System.nanoTime();
            Accounts accounts = new Accounts(saga.ledger(), "");
            while (!interruption.awaitFor(PATIENCE)) {
                LOG.debug("{} messages delivered again so far", saga.traffic().duplicates());
            }
            finish(saga, accounts);
            saga.stop();
            Tally tally = accounts.tally();
            return Report.of(tally.accepted(), tally, saga, seconds(System.nanoTime() - start));
        }
    }

    /** Orders that are under way come to their end first, if they can in that time. */
    private static void finish(Saga saga, Accounts accounts) {
        saga.traffic().moved(); // what was published just before may not have been delivered yet
        long deadline = System.nanoTime() + PATIENCE_WHEN_INTERRUPTED.toNanos();
        Interruption second = new Interruption(); // nobody requests it: one is enough
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
