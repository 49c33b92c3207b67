// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.bodies.Payment.Receipt;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.test.encryption.MemoryKeys;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import javax.crypto.SecretKey;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Encrypted messages, and others, while nobody can open a data key. */
record KeysAwayRow(StoreAddress store) {

    private static final int MESSAGES = 1_000;
    private static final Duration FULL = Duration.ofMinutes(5);
    private static final Duration QUICK = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration BETWEEN_NOTES = Duration.ofSeconds(1);
    private static final long BACK_WITHIN = Duration.ofSeconds(5).toMillis();

    /** What the receiver asks for keys. */
    private static final class Service implements KeyProvider {

        private final KeyProvider keys;
        private volatile boolean isAway = true;

        Service(KeyProvider keys) {
            this.keys = keys;
        }

        @Override
        public DataKey current(String key) {
            return keys.current(key);
        }

        @Override
        public SecretKey open(WrappedKey wrapped) {
            if (isAway) {
                throw new KeysUnavailableException("The key service does not answer, as the proof wants", null);
            }
            return keys.open(wrapped);
        }
    }

    Finding find(Effort effort) throws Exception {
        MemoryKeys keys = MemoryKeys.of(KeyFile.NAME);
        Service service = new Service(keys);
        AtomicInteger handled = new AtomicInteger();
        AtomicInteger attempts = new AtomicInteger();
        AtomicLong first = new AtomicLong();
        AtomicInteger notes = new AtomicInteger();
        try (Live live = new Live()) {
            Node book = live.instance(
                    "book", live.store(store, "book"), parts -> parts.codecs(KeyFile.codecs(service, live.timeline())));
            book.start(List.of(
                    live.handler(Receipt.class, "desk", (payload, context) -> {
                        first.compareAndSet(0, System.nanoTime());
                        attempts.addAndGet(context.attempt());
                        handled.incrementAndGet();
                    }),
                    live.handler(Note.class, "desk", (payload, context) -> notes.incrementAndGet())));
            Node desk = live.instance("desk", null, parts -> parts.codecs(KeyFile.codecs(keys, live.timeline())));
            desk.start(List.of());
            List<CompletableFuture<?>> sent = IntStream.range(0, MESSAGES)
                    .<CompletableFuture<?>>mapToObj(number -> desk.bunny().publishAsync(new Receipt(number)))
                    .toList();
            sent.forEach(CompletableFuture::join);

            int published = awaitEndOfOutage(desk, effort.quick() ? QUICK : FULL);
            int early = handled.get();
            int others = notes.get();
            long back = System.nanoTime();
            service.isAway = false;
            awaitAll(handled);

            long resumedAfter = Duration.ofNanos(first.get() - back).toMillis();
            int poison = live.depth("book", "poison");
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("messages", MESSAGES);
            figures.put("away, s", (effort.quick() ? QUICK : FULL).toSeconds());
            figures.put("handled while away", early);
            figures.put("others sent while away", published);
            figures.put("of these handled by then", others);
            figures.put("resumed after, ms", resumedAfter);
            figures.put("handled", handled.get());
            figures.put("attempts spent", attempts.get());
            figures.put("set aside", poison);
            return new Finding(
                    early == 0
                            && others >= published - 1 // the last one may be on its way
                            && first.get() != 0
                            && resumedAfter <= BACK_WITHIN
                            && handled.get() == MESSAGES
                            && attempts.get() == 0
                            && poison == 0,
                    figures);
        }
    }

    /** Publishes a note each second. */
    private static int awaitEndOfOutage(Node desk, Duration outage) {
        AtomicInteger published = new AtomicInteger();
        long end = System.nanoTime() + outage.toNanos();
        Awaitility.await()
                .atMost(outage.plus(PATIENCE))
                .pollInterval(BETWEEN_NOTES)
                .until(() -> {
                    desk.bunny().publish(new Note(published.incrementAndGet(), "in clear"));
                    return System.nanoTime() - end >= 0;
                });
        return published.get();
    }

    private static void awaitAll(AtomicInteger handled) {
        try {
            Awaitility.await().atMost(PATIENCE).until(() -> handled.get() >= MESSAGES);
        } catch (ConditionTimeoutException e) {
            // the figures tell how many are missing
        }
    }
}
