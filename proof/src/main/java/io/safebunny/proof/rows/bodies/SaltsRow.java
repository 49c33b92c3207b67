// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Envelope;
import io.safebunny.node.Codecs;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.bodies.Payment.Receipt;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.GzipCodec;
import io.safebunny.test.encryption.MemoryKeys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** One message whose body is encoded differently each time that it is sent. */
record SaltsRow(StoreAddress store) {

    private static final int PUBLISHERS = 10;
    private static final int EACH = 100;
    private static final int LEVELS = 10;
    private static final int EACH_LEVEL = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    Finding find() throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        MemoryKeys keys = MemoryKeys.of(KeyFile.NAME);
        try (Live live = new Live()) {
            OpenStore records = live.store(store, "book");
            WorkTable work = Objects.requireNonNull(records.work());
            Node book = live.instance("book", records, parts -> parts.meterRegistry(meters)
                    .codecs(KeyFile.codecs(keys, live.timeline())));
            book.start(List.of(handler(live, work, Receipt.class), handler(live, work, Note.class)));
            Set<String> receiptIds = new HashSet<>();
            for (int number = 0; number < PUBLISHERS; number++) {
                publish(receiptIds, live, KeyFile.codecs(keys, live.timeline()), new Receipt(1), EACH);
            }
            Set<String> noteIds = new HashSet<>();
            for (int level = 0; level < LEVELS; level++) {
                publish(
                        noteIds,
                        live,
                        new Codecs(List.of(new Leveled(level, new GzipCodec())), "gzip"),
                        new Note(1, "all alike ".repeat(50)),
                        EACH_LEVEL);
            }
            int sent = PUBLISHERS * EACH + LEVELS * EACH_LEVEL;
            awaitDuplicates(meters, sent - 2);
            int receipts = runs(work, receiptIds);
            int notes = runs(work, noteIds);
            int poison = live.depth("book", "poison");
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("sent", sent);
            figures.put("duplicates", (long) duplicates(meters));
            figures.put("runs for the encrypted one", receipts);
            figures.put("runs for the compressed one", notes);
            figures.put("set aside", poison);
            return new Finding(receipts == 1 && notes == 1 && poison == 0 && duplicates(meters) == sent - 2, figures);
        }
    }

    private static HandlerDefinition handler(Live live, WorkTable work, Class<?> type) {
        return live.handler(type, "desk", (payload, context) -> work.add(context.messageId(), type.getSimpleName()));
    }

    private static int runs(WorkTable work, Set<String> ids) {
        return ids.stream().mapToInt(id -> work.runs(id).size()).sum();
    }

    /** By a process that knows nothing of the others. */
    private static void publish(Set<String> ids, Live live, Codecs codecs, Object payload, int count) {
        Node desk = live.instance("desk", null, parts -> parts.codecs(codecs));
        desk.start(List.of());
        PublishOptions one = PublishOptions.none()
                .withIdempotencyKey("the only " + payload.getClass().getSimpleName());
        List<CompletableFuture<Published>> sent = IntStream.range(0, count)
                .mapToObj(number -> desk.bunny().publishAsync(payload, one))
                .toList();
        sent.forEach(
                published -> ids.add(Objects.requireNonNull(published.join().messageId())));
    }

    private static void awaitDuplicates(SimpleMeterRegistry meters, int count) {
        try {
            Awaitility.await().atMost(PATIENCE).until(() -> duplicates(meters) >= count);
        } catch (ConditionTimeoutException e) {
            // the figures tell how many there were
        }
    }

    private static double duplicates(SimpleMeterRegistry meters) {
        return meters.find("safebunny.dedup").tag("outcome", "hit").counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    /** Compresses as much as it is told to. */
    private record Leveled(int level, GzipCodec gzip) implements BodyCodec {

        @Override
        public String encoding() {
            return gzip.encoding();
        }

        @Override
        public byte[] encode(Envelope message) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            int chosen = level;
            try (GZIPOutputStream out = new GZIPOutputStream(bytes) {
                {
                    def.setLevel(chosen);
                }
            }) {
                out.write(message.body());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes.toByteArray();
        }

        @Override
        public byte[] decode(Envelope message, long maxSize) {
            return gzip.decode(message, maxSize);
        }
    }
}
