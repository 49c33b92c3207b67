// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import io.safebunny.BunnyMessage;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.proof.rows.Contest;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.WorkTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A handler that inserts one row, in order and without, of messages with many keys. Both in turns, in one process, on one database. */
public final class OrderedThroughputRow {

    private static final int KEYS = 1_000;
    private static final int ROUNDS_FULL = 7;
    private static final int ROUNDS_QUICK = 3;
    private static final int MESSAGES_FULL = 5_000;
    private static final int MESSAGES_QUICK = 2_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final StoreAddress store;
    private final @Nullable Sharding sharding;
    private final double least;
    /** Opened once all messages of a round are in their queue, so that publishing is not measured. */
    private volatile CountDownLatch gate = new CountDownLatch(1);

    /**
     * @param sharding of the messages in order
     * @param least how fast these must be at least, as a share of those without
     */
    public OrderedThroughputRow(StoreAddress store, @Nullable Sharding sharding, double least) {
        this.store = store;
        this.sharding = sharding;
        this.least = least;
    }

    @BunnyMessage(orderBy = "key")
    record Free(String key) {}

    @BunnyMessage(orderBy = "key")
    record Ordered(String key) {}

    public Finding find(Effort effort) throws Exception {
        int messages = effort.of(MESSAGES_FULL, MESSAGES_QUICK);
        try (Live live = new Live()) {
            Node desk = live.instance("desk", null);
            desk.start(List.of());
            AtomicInteger freeRuns = new AtomicInteger();
            start(live, "free", Free.class, Ordering.NONE, null, freeRuns);
            AtomicInteger orderedRuns = new AtomicInteger();
            start(live, "ordered", Ordered.class, Ordering.HOLD, sharding, orderedRuns);
            Contest contest = new Contest("free", "ordered");
            for (int round = 0; round <= effort.of(ROUNDS_FULL, ROUNDS_QUICK); round++) {
                double free = rate(desk, messages, freeRuns, number -> new Free(key(number)));
                double ordered = rate(desk, messages, orderedRuns, number -> new Ordered(key(number)));
                if (round > 0) { // the first one warms up
                    contest.add(free, ordered);
                }
                effort.progress().accept(String.format(Locale.ROOT, "free %.0f/s, ordered %.0f/s", free, ordered));
            }
            return contest.finding(least, messages).with("keys", KEYS);
        }
    }

    private static String key(int number) {
        return "order-" + number % KEYS;
    }

    private void start(
            Live live, String node, Class<?> type, Ordering ordering, @Nullable Sharding divided, AtomicInteger runs) {
        OpenStore records = live.store(store, node);
        WorkTable work = Objects.requireNonNull(records.work());
        HandlerInvoker insert = (payload, context) -> {
            gate.await();
            work.add(context.messageId(), node);
            runs.incrementAndGet();
        };
        HandlerDefinition handler =
                live.handler(type, "desk", insert).ordered(ordering).sharded(divided);
        live.instance(node, records).start(List.of(handler));
    }

    private double rate(Node desk, int messages, AtomicInteger runs, IntFunction<Object> payload) {
        int before = runs.get();
        gate = new CountDownLatch(1);
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int number = 0; number < messages; number++) {
            sent.add(desk.bunny().publishAsync(payload.apply(number)));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
        long begun = System.nanoTime();
        gate.countDown();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(5))
                .pollDelay(Duration.ZERO)
                .atMost(PATIENCE)
                .until(() -> runs.get() >= before + messages);
        return messages / ((System.nanoTime() - begun) / 1e9);
    }
}
