// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.PublishOptions;
import io.safebunny.crypto.EncryptingCodec;
import io.safebunny.crypto.Subjects;
import io.safebunny.jdbc.outbox.JdbcOutbox;
import io.safebunny.jdbc.outbox.JdbcOutboxOptions;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.subjects.JdbcSubjectKeys;
import io.safebunny.node.Codecs;
import io.safebunny.node.Compression;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.bodies.Customers.Begun;
import io.safebunny.proof.rows.bodies.Customers.Charged;
import io.safebunny.proof.rows.bodies.Customers.Next;
import io.safebunny.proof.rows.bodies.Customers.Way;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.encryption.MemoryKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Messages of many people wait wherever one can wait, and a tenth of the people is erased. Then everything goes on: what can still be read is
 * seen by the handlers.
 */
final class ErasureRow {

    private static final List<String> TABLES = List.of(
            "safebunny_message", "safebunny_step", "safebunny_companion", "safebunny_outbox", "safebunny_subject_key");

    private static final int FULL = 1_000;
    private static final int QUICK = 200;
    /** One in so many people is erased. */
    private static final int OF = 10;

    private static final Duration DELAYED = Duration.ofSeconds(20);
    private static final Duration SCHEDULED = Duration.ofSeconds(40);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int MOST_REPLAYS = 10;
    private static final Duration POLL = Duration.ofSeconds(1);

    private final StoreAddress store;
    private final MemoryKeys keys = MemoryKeys.of(KeyFile.NAME);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    ErasureRow(StoreAddress store) {
        this.store = store;
    }

    Finding find(Effort effort) throws Exception {
        List<String> people = IntStream.range(0, effort.of(FULL, QUICK))
                .mapToObj("person-%s"::formatted)
                .toList();
        List<String> erased = new ArrayList<>(people);
        Collections.shuffle(erased, new Random(effort.seed()));
        erased = erased.subList(0, people.size() / OF);
        try (Live live = new Live()) {
            OpenStore shop = live.store(store, "shop");
            OpenStore desk = live.store(store, "desk");
            fill(live, shop, desk, people, effort);
            Subjects subjects = subjects(live, shop);
            for (String person : erased) {
                boolean unused = subjects.erase(person).hadKey();
            }
            effort.progress().accept(erased.size() + " people are erased");
            return goOn(live, shop, desk, people, erased);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Afterwards nothing runs any more. */
    private void fill(Live live, OpenStore shop, OpenStore desk, List<String> people, Effort effort)
            throws IOException {
        try (Node sender = sender(live, desk, false)) {
            Customers customers = new Customers(false);
            try (Node receiver = receiver(live, shop, customers, new SimpleMeterRegistry())) {
                confirm(sender, people, Way.POISON);
                for (String person : people) {
                    sender.bunny()
                            .publish(Begun.of(person), PublishOptions.none().withCorrelationId(person));
                }
                Awaitility.await().atMost(PATIENCE).pollInterval(POLL).until(() -> {
                    effort.progress()
                            .accept("%s set aside, %s sagas"
                                    .formatted(
                                            live.depth("shop", "poison"),
                                            customers.sagas().begun()));
                    return live.depth("shop", "poison") >= people.size() * Way.POISON.each()
                            && people.stream()
                                    .allMatch(person ->
                                            receiver.sagas().find(person).size() == 1);
                });
            }
            confirm(sender, people, Way.QUEUED);
            confirm(sender, people, Way.DELAYED);
            for (String person : people) {
                String unused = sender.scheduledMessages()
                        .schedule(
                                Charged.of(person, Way.SCHEDULED, 0),
                                PublishOptions.none().withDelay(SCHEDULED));
            }
        }
        try (Node silent = sender(live, desk, true)) { // its outbox never learns that anything was sent
            new TransactionTemplate(new JdbcTransactionManager(database(desk)))
                    .executeWithoutResult(status -> people.forEach(person -> {
                        for (int number = 0; number < Way.OUTBOX.each(); number++) {
                            silent.bunny().publish(Charged.of(person, Way.OUTBOX, number));
                        }
                    }));
        }
    }

    private static void confirm(Node sender, List<String> people, Way way) {
        PublishOptions options = way == Way.DELAYED ? PublishOptions.none().withDelay(DELAYED) : PublishOptions.none();
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (String person : people) {
            for (int number = 0; number < way.each(); number++) {
                sent.add(sender.bunny().publishAsync(Charged.of(person, way, number), options));
            }
        }
        sent.forEach(CompletableFuture::join);
    }

    private Finding goOn(Live live, OpenStore shop, OpenStore desk, List<String> people, List<String> erased)
            throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Customers customers = new Customers(true);
        int others = people.size() - erased.size();
        int waiting = live.depth("shop", "Charged");
        int aside = live.depth("shop", "poison");
        int unsent = desk.unsent(live.name("desk"));
        int inClear = rowsWith(database(shop), "canary of ");
        int findable = rowsWith(database(shop), people.get(0)); // its saga's id
        try (Node receiver = receiver(live, shop, customers, meters);
                Node sender = sender(live, desk, false)) {
            int replays = replayAll(receiver, aside);
            for (String person : people) {
                sender.bunny().publish(new Next(person), PublishOptions.none().withCorrelationId(person));
            }
            int each = Way.all();
            awaitQuietly(() -> customers.runs() >= others * each
                    && customers.sagas().runs() >= others
                    && shredded(meters, Charged.class) >= (long) each * erased.size()
                    && shredded(meters, Next.class) >= erased.size()
                    && live.depth("shop", "poison") == 0);

            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("people", people.size());
            figures.put("erased", erased.size());
            figures.put("messages and sagas", people.size() * (each + 1));
            figures.put("in a queue", waiting);
            figures.put("set aside", aside);
            figures.put("in the outbox", unsent);
            long read = erased.stream().filter(customers::wasRead).count();
            figures.put("replays", replays);
            figures.put("rows of tables with a text of anybody", inClear);
            figures.put("of the erased, whose anything was read", read);
            int lost = others * each
                    - customers.distinct()
                    + others
                    - customers.sagas().distinct();
            figures.put("of others lost", lost);
            int doubled = customers.runs()
                    - customers.distinct()
                    + customers.sagas().runs()
                    - customers.sagas().distinct();
            figures.put("of others doubled", doubled);
            long messages = (long) each * erased.size();
            long shredded = shredded(meters, Charged.class);
            long told = shredded(meters, Next.class);
            figures.put("messages shredded", shredded);
            figures.put("messages of erased sagas shredded", told);
            int poison = live.depth("shop", "poison");
            figures.put("set aside in the end", poison);
            return new Finding(
                    read == 0
                            && inClear == 0
                            && findable > 0
                            && lost == 0
                            && doubled == 0
                            && shredded == messages
                            && told == erased.size()
                            && poison == 0
                            && unsent == people.size() * Way.OUTBOX.each(),
                    figures);
        }
    }

    /** Repeats it for those that somebody else held, which is one look of this node at its poison queue. */
    private static int replayAll(Node receiver, int aside) throws InterruptedException {
        int replays = 0;
        for (long missed = aside; missed > 0 && replays < MOST_REPLAYS; replays++) {
            missed = receiver.poisonMessages()
                    .replay(PoisonRequest.of(PoisonFilter.all().withLimit(aside), "proof", "repaired"))
                    .await(PATIENCE)
                    .missed();
        }
        return replays;
    }

    private static void awaitQuietly(Callable<Boolean> condition) {
        try {
            Awaitility.await().atMost(PATIENCE).pollInterval(POLL).until(condition);
        } catch (ConditionTimeoutException e) {
            // the figures tell what is missing
        }
    }

    /** Number of rows of all tables that have a text, also as bytes. */
    private static int rowsWith(DataSource database, String text) {
        JdbcTemplate sql = new JdbcTemplate(database);
        String bytes = HexFormat.of().formatHex(text.getBytes(UTF_8));
        int rows = 0;
        for (String table : TABLES) {
            Integer found = sql.queryForObject(
                    "select count(*) from %s t where t::text like ? or t::text like ?".formatted(table),
                    Integer.class,
                    '%' + text + '%',
                    '%' + bytes + '%');
            rows += found == null ? 0 : found;
        }
        return rows;
    }

    private static long shredded(SimpleMeterRegistry meters, Class<?> type) {
        return (long) meters.find("safebunny.shredded").tag("type", type.getSimpleName()).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    private Node receiver(Live live, OpenStore shop, Customers customers, SimpleMeterRegistry meters) {
        Node receiver = live.unclosed(
                "shop", shop, parts -> parts.codecs(codecs(live, shop)).meterRegistry(meters));
        receiver.start(
                List.of(live.handler(
                        Charged.class, "desk", (payload, context) -> customers.on((Charged) payload, context))),
                live.sagas(customers.sagas()));
        return receiver;
    }

    /** @param silent whether nothing that it sends reaches the broker */
    private Node sender(Live live, OpenStore desk, boolean silent) throws IOException {
        Node sender = new Node(
                new NodeAddress(
                        live.name("desk"),
                        live.prefix(),
                        TestBroker.shared().uri().toString()),
                new Persistence(desk.store(), outbox(live, desk), Live.lease()),
                live.timeline(),
                transport -> silent ? new SilentTransport(transport) : transport,
                parts -> parts.codecs(codecs(live, desk)).scheduling(true));
        sender.start(List.of());
        return sender;
    }

    private JdbcOutbox outbox(Live live, OpenStore desk) {
        return new JdbcOutbox(
                database(desk),
                JdbcOutboxOptions.of(live.name("desk")),
                live.timeline(),
                threads,
                new SimpleMeterRegistry());
    }

    private Codecs codecs(Live live, OpenStore open) {
        return new Codecs(
                List.of(new EncryptingCodec(keys, live.timeline(), Set.of(), subjects(live, open))),
                null,
                Compression.NONE,
                null);
    }

    private Subjects subjects(Live live, OpenStore open) {
        return new Subjects(
                keys,
                KeyFile.NAME,
                new JdbcSubjectKeys(database(open), JdbcStoreOptions.DEFAULT_TABLE_PREFIX, TIMEOUT),
                live.timeline());
    }

    private static DataSource database(OpenStore open) {
        return Objects.requireNonNull(open.database());
    }
}
