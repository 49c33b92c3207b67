// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.MessageExpiredException;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Messages whose deadlines are about as far away as their turn, on instances of one node whose clocks differ and of which one is killed again
 * and again. At the end, what has been set aside is replayed.
 */
record DeadlinesRow(StoreAddress store) {

    private static final int FULL = 10_000;
    private static final int QUICK = 1_500;
    /** Longest time to a deadline, for each message that is published. */
    private static final int MILLIS_PER_MESSAGE = 3;

    private static final Duration PATIENCE = Duration.ofMinutes(6);
    private static final Duration POLL = Duration.ofSeconds(1);

    /** A message that was published: its id and correlation id. */
    private record Sent(String type, RecordKey key) {}

    Finding find(Effort effort) throws Exception {
        int count = effort.of(FULL, QUICK);
        Random random = new Random(effort.seed());
        try (Live live = new Live();
                Ledger ledger = new Ledger()) {
            Node desk = live.instance("desk", null);
            desk.start(List.of());
            OpenStore records = live.store(store, "quotes");
            List<Sent> sent;
            int kills;
            try (Clocks clocks = new Clocks(live, store, ledger, random)) {
                clocks.awaitStart();
                sent = publish(desk, live, count, random);
                kills = awaitEnd(clocks, records, sent);
            }
            return finding(live, records, sent, kills);
        }
    }

    private static List<Sent> publish(Node desk, Live live, int count, Random random) {
        List<CompletableFuture<Sent>> sent = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            Object message = Expiring.message(number);
            Instant deadline = live.timeline().now().plusMillis(1 + random.nextInt(count * MILLIS_PER_MESSAGE));
            sent.add(desk.bunny()
                    .publishAsync(message, PublishOptions.none().withDeadline(deadline))
                    .thenApply(published -> sent(message, published)));
        }
        return sent.stream().map(CompletableFuture::join).toList();
    }

    private static Sent sent(Object message, Published published) {
        return new Sent(
                message.getClass().getSimpleName(),
                new RecordKey(
                        Objects.requireNonNull(published.correlationId()),
                        Objects.requireNonNull(published.messageId())));
    }

    /** Kills instances until each message has a fate. */
    private static int awaitEnd(Clocks clocks, OpenStore records, List<Sent> sent) {
        List<Sent> open = new ArrayList<>(sent);
        try {
            Awaitility.await().atMost(PATIENCE).pollInterval(POLL).until(() -> {
                clocks.maybeKill();
                Set<String> inTable = work(records).all().keySet();
                open.removeIf(one -> inTable.contains(one.key().messageId()));
                open.removeIf(one -> hasExpired(records.store().find(one.key())));
                return open.isEmpty();
            });
        } catch (ConditionTimeoutException e) {
            // what has none is in the figures
        }
        return clocks.kills();
    }

    private static WorkTable work(OpenStore records) {
        return Objects.requireNonNull(records.work());
    }

    /** Whether it was dropped or set aside, and thus has ended. */
    private static boolean hasExpired(@Nullable MessageRecord record) {
        return hasExpired(record, RecordState.DISPATCHED) || hasExpired(record, RecordState.POISONED);
    }

    private static boolean hasExpired(@Nullable MessageRecord record, RecordState state) {
        if (record == null || record.state() != state) {
            return false;
        }
        List<Trail.Failure> failures = record.trail().failures();
        return !failures.isEmpty()
                && failures.get(failures.size() - 1).exception().equals(MessageExpiredException.class.getName());
    }

    private static Finding finding(Live live, OpenStore records, List<Sent> sent, int kills) throws Exception {
        Map<String, Integer> fates = new TreeMap<>();
        int wrong = 0;
        List<String> setAside = new ArrayList<>();
        Map<String, List<String>> rows = work(records).all();
        for (Sent one : sent) {
            List<String> fate = new ArrayList<>(rows.getOrDefault(one.key().messageId(), List.of()));
            MessageRecord record = records.store().find(one.key());
            if (fate.isEmpty() && hasExpired(record, RecordState.DISPATCHED)) {
                fate.add("dropped");
            }
            if (hasExpired(record, RecordState.POISONED)) {
                fate.add("set aside");
                setAside.add(one.key().messageId());
            }
            wrong += fate.size() == 1 ? 0 : 1;
            fates.merge(
                    one.type() + " " + String.join(" and ", fate.isEmpty() ? List.of("nothing") : fate),
                    1,
                    Integer::sum);
        }
        Progress progress = replay(live, records, setAside);
        Map<String, List<String>> after = work(records).all();
        long handledOnce = setAside.stream()
                .filter(id -> after.getOrDefault(id, List.of()).equals(List.of(Expiring.HANDLED)))
                .count();

        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("messages", sent.size());
        figures.put("kills", kills);
        figures.put("without one fate", wrong);
        figures.put("fates", fates.toString());
        figures.put("replayed", progress.moved());
        figures.put("of these handled once", handledOnce);
        boolean allKinds = fates.keySet()
                .containsAll(List.of(
                        "Offer handled",
                        "Offer told",
                        "Price dropped",
                        "Price handled",
                        "Quote handled",
                        "Quote set aside"));
        return new Finding(wrong == 0 && kills > 0 && allKinds && handledOnce == setAside.size(), figures);
    }

    /** By an instance whose clock is right. A person wants them handled in spite of their deadlines. */
    private static Progress replay(Live live, OpenStore records, List<String> setAside) throws InterruptedException {
        Node node = live.instance("quotes", records);
        node.start(new Expiring(live.name("desk"), work(records), null).handlers());
        Progress progress = node.poisonMessages()
                .replay(PoisonRequest.of(PoisonFilter.all().withLimit(FULL), "proof", "in spite of their deadlines"))
                .await(PATIENCE);
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(POLL)
                    .until(() -> work(records).all().keySet().containsAll(setAside));
        } catch (ConditionTimeoutException e) {
            // the figures tell how many
        }
        return progress;
    }
}
