// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.encryption.Encrypted;
import io.safebunny.proof.rows.Contest;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.test.encryption.MemoryKeys;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** Bodies of 1 KB, encrypted and not, from publishing the first to the end of the last handler, which inserts a row. In turns, in one process. */
final class EncryptedThroughputRow {

    private static final double LEAST = 0.9;
    private static final int ROUNDS_FULL = 9;
    private static final int ROUNDS_QUICK = 7;
    private static final int MESSAGES_FULL = 5_000;
    private static final int MESSAGES_QUICK = 2_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String TEXT = "0123456789abcdef".repeat(64);

    private final StoreAddress store;
    private final AtomicInteger runs = new AtomicInteger();

    EncryptedThroughputRow(StoreAddress store) {
        this.store = store;
    }

    record Plain(int number, String text) {}

    @Encrypted(key = KeyFile.NAME)
    record Sealed(int number, String text) {}

    Finding find(Effort effort) throws Exception {
        int messages = effort.of(MESSAGES_FULL, MESSAGES_QUICK);
        MemoryKeys keys = MemoryKeys.of(KeyFile.NAME);
        try (Live live = new Live()) {
            OpenStore records = live.store(store, "book");
            WorkTable work = Objects.requireNonNull(records.work());
            Node book = live.instance("book", records, parts -> parts.codecs(KeyFile.codecs(keys, live.timeline())));
            book.start(List.of(
                    live.handler(Plain.class, "desk", (payload, context) -> ran(work, context.messageId())),
                    live.handler(Sealed.class, "desk", (payload, context) -> ran(work, context.messageId()))));
            Node desk = live.instance("desk", null, parts -> parts.codecs(KeyFile.codecs(keys, live.timeline())));
            desk.start(List.of());
            Contest contest = new Contest("plain", "encrypted");
            for (int round = 0; round <= effort.of(ROUNDS_FULL, ROUNDS_QUICK); round++) {
                double plain = rate(desk, messages, number -> new Plain(number, TEXT));
                double encrypted = rate(desk, messages, number -> new Sealed(number, TEXT));
                if (round > 0) { // the first one warms up
                    contest.add(plain, encrypted);
                }
                effort.progress()
                        .accept(String.format(Locale.ROOT, "plain %.0f/s, encrypted %.0f/s", plain, encrypted));
            }
            return contest.finding(LEAST, messages).with("bytes of a body", TEXT.length());
        }
    }

    private void ran(WorkTable work, String messageId) {
        work.add(messageId, "");
        runs.incrementAndGet();
    }

    private double rate(Node desk, int messages, Function<Integer, Object> payload) {
        int before = runs.get();
        long begun = System.nanoTime();
        List<CompletableFuture<?>> sent = IntStream.range(0, messages)
                .<CompletableFuture<?>>mapToObj(number -> desk.bunny().publishAsync(payload.apply(number)))
                .toList();
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(5))
                .pollDelay(Duration.ZERO)
                .atMost(PATIENCE)
                .until(() -> runs.get() >= before + messages);
        return messages / ((System.nanoTime() - begun) / 1e9);
    }
}
