// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.PublishOptions;
import io.safebunny.proof.rows.Contest;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.saga.SumSaga.Add;
import io.safebunny.proof.rows.saga.SumSaga.Begin;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.awaitility.Awaitility;

/**
 * Handlers of a saga, each message to another one, against handlers that keep what they know in a table of the application, in the
 * transaction of the message. Both in turns, in one process, on one database.
 */
record ContestRow(StoreAddress store) {

    private static final double LEAST = 0.65;
    private static final int ROUNDS_FULL = 7;
    private static final int ROUNDS_QUICK = 3;
    private static final int MESSAGES_FULL = 3_000;
    private static final int MESSAGES_QUICK = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    record Plain(String order) {}

    Finding find(Effort effort) throws Exception {
        int messages = effort.of(MESSAGES_FULL, MESSAGES_QUICK);
        try (Live live = new Live()) {
            Node desk = live.instance("desk", null);
            desk.start(List.of());
            AtomicInteger plainRuns = new AtomicInteger();
            OpenStore plainStore = live.store(store, "plain");
            WorkTable work = Objects.requireNonNull(plainStore.work());
            live.instance("plain", plainStore).start(List.of(live.handler(Plain.class, "desk", (payload, context) -> {
                work.add(((Plain) payload).order(), "plain");
                plainRuns.incrementAndGet();
            })));
            SumSaga saga = new SumSaga();
            Node sums = live.instance("sums", live.store(store, "sums"));
            sums.start(List.of(), live.sagas(saga));
            Contest contest = new Contest("plain", "sagas");
            for (int round = 0; round <= effort.of(ROUNDS_FULL, ROUNDS_QUICK); round++) {
                double plain = rate(desk, round, messages, plainRuns, Plain::new);
                begin(desk, round, messages, saga);
                double sagas = rate(desk, round, messages, saga.runs, id -> new Add(1));
                if (round > 0) { // the first one warms up
                    contest.add(plain, sagas);
                }
                effort.progress().accept(String.format(Locale.ROOT, "plain %.0f/s, sagas %.0f/s", plain, sagas));
            }
            return contest.finding(LEAST, messages);
        }
    }

    private static PublishOptions to(int round, int message) {
        return PublishOptions.none().withCorrelationId("contest-" + round + "-" + message);
    }

    private static void begin(Node desk, int round, int messages, SumSaga saga) {
        int before = saga.begun.get();
        send(desk, round, messages, id -> new Begin());
        Awaitility.await().atMost(PATIENCE).until(() -> saga.begun.get() >= before + messages);
    }

    private static void send(Node desk, int round, int messages, Function<String, Object> payload) {
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int message = 0; message < messages; message++) {
            sent.add(desk.bunny().publishAsync(payload.apply("order-" + message), to(round, message)));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
    }

    private static double rate(
            Node desk, int round, int messages, AtomicInteger runs, Function<String, Object> payload) {
        int before = runs.get();
        long begun = System.nanoTime();
        send(desk, round, messages, payload);
        Awaitility.await()
                .pollInterval(Duration.ofMillis(5))
                .pollDelay(Duration.ZERO)
                .atMost(PATIENCE)
                .until(() -> runs.get() >= before + messages);
        return messages / ((System.nanoTime() - begun) / 1e9);
    }
}
