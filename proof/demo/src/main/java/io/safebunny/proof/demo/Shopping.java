// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.Published;
import io.safebunny.proof.demo.accounts.Accounts;
import io.safebunny.proof.demo.accounts.Storage;
import io.safebunny.proof.demo.accounts.Tally;
import io.safebunny.proof.demo.chaos.Chaos;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.samples.orders.storefront.Storefront;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Places orders and waits until the last one has ended or nothing moves any more. */
final class Shopping {

    private static final Logger LOG = LoggerFactory.getLogger(Shopping.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration BETWEEN_ORDERS = Duration.ofMillis(600);
    private static final double CLICKED_TWICE = 0.05;

    private final Options options;
    private final Interruption interruption;
    private final Progress progress;
    private final OrderGenerator generator;
    private final Accounts accounts;
    private volatile int placed;

    Shopping(Options options, Interruption interruption, PrintStream out, Storage storage) {
        this.options = options;
        this.interruption = interruption;
        this.progress = Progress.of(options, out);
        this.generator = OrderGenerator.of(options);
        this.accounts = new Accounts(storage, generator.prefix());
    }

    Accounts accounts() {
        return accounts;
    }

    /**
     * @param saga with a storefront
     * @param isIdle whether no message is in flight any more
     * @param look is given the tally now and then
     */
    void run(Saga saga, BooleanSupplier isIdle, Consumer<Tally> look) {
        CompletableFuture<Void> placing = CompletableFuture.completedFuture(saga)
                .thenComposeAsync(all -> place(all, Duration.ZERO))
                .whenComplete(Shopping::warnOfRefusals);
        long reached = -1;
        long since = System.nanoTime();
        Duration pause = POLL;
        while (!interruption.awaitFor(pause)) {
            long asked = System.nanoTime();
            Tally tally = accounts.tally();
            long now = System.nanoTime();
            progress.show(tally.ended(), options.orders());
            look.accept(tally);
            if (tally.progress() != reached) {
                reached = tally.progress();
                since = now;
            }
            boolean over = placing.isDone() && tally.isComplete(options.orders()) && isIdle.getAsBoolean();
            if (over || now - since > PATIENCE.toNanos()) {
                break;
            }
            // counting gets slower as the ledger grows; to kill half-way we have to look often all the same
            pause = options.kill() ? POLL : Duration.ofNanos(Math.max(POLL.toNanos(), 10 * (now - asked)));
        }
        progress.clear();
    }

    /** How long {@link #show} takes for so many orders. */
    static String lasts(int orders) {
        Duration all = BETWEEN_ORDERS.multipliedBy(orders);
        return all.toMinutes() > 1 ? all.toMinutes() + " minutes" : all.toSeconds() + " seconds";
    }

    /** Places orders at a pace at which a person can follow them. */
    void show(Saga saga) {
        var unused = place(saga, BETWEEN_ORDERS).whenComplete(Shopping::warnOfRefusals);
    }

    /** How many orders were placed so far. */
    int placed() {
        return placed;
    }

    private CompletableFuture<Void> place(Saga saga, Duration pause) {
        Storefront storefront = saga.storefront();
        Chaos chaos = saga.chaos();
        List<CompletableFuture<Published>> published = new ArrayList<>();
        for (int number = 1; number <= options.orders() && !interruption.awaitFor(pause); number++) {
            placed = number;
            PlaceOrder order = generator.order(number);
            published.add(storefront.place(order));
            if (chaos != null && chaos.strikes("click", order.orderId(), CLICKED_TWICE)) {
                published.add(storefront.place(order));
            }
        }
        return CompletableFuture.allOf(published.toArray(CompletableFuture[]::new));
    }

    private static void warnOfRefusals(@Nullable Void none, @Nullable Throwable failure) {
        if (failure != null) {
            LOG.warn("Not all orders could be placed; those that were not count as lost", failure);
        }
    }
}
