// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.proof.child.Child;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.bodies.Payment.Receipt;
import io.safebunny.proof.rows.bodies.PaymentHandler.Run;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.crypto.SecretKey;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Three instances, as processes, that are charged by a desk and send receipts to a book. Some of them can be killed or replaced. Not
 * thread-safe.
 */
final class Bank implements AutoCloseable {

    static final int INSTANCES = 3;

    private static final int LATEST = Payment.VERSIONS.size();
    /** Of messages. */
    private static final int PORTION = 240;
    /** Waiting messages. */
    private static final int BACKLOG = 1_000;

    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(2);
    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration POLL = Duration.ofMillis(500);

    private final Live live;
    private final StoreAddress store;
    private final WorkTable work;
    private final Ledger ledger;
    private final KeyFile keys;
    private final @Nullable Path bodies;
    private final Random random;
    private final List<Child> children = new ArrayList<>();
    private final Map<Integer, Integer> receipts = new ConcurrentHashMap<>();
    private final AtomicInteger opened = new AtomicInteger();
    private final Path log;
    private long killedAt = System.nanoTime();
    private int started;
    private int ended;
    private int kills;
    private int published;
    private boolean isLogKept;

    /** All instances know the latest version of {@link Payment}. */
    Bank(Live live, StoreAddress store, Ledger ledger, KeyFile keys, Random random) throws IOException {
        this(live, store, ledger, keys, null, random, LATEST);
    }

    /** All instances know the latest version of {@link Payment}, and all bodies are kept in a folder. */
    Bank(Live live, StoreAddress store, Ledger ledger, KeyFile keys, Path bodies, Random random) throws IOException {
        this(live, store, ledger, keys, bodies, random, LATEST);
    }

    /**
     * @param bodies folder in which they are kept; {@code null} to send them with their messages
     * @param version of {@link Payment}
     */
    Bank(Live live, StoreAddress store, Ledger ledger, KeyFile keys, @Nullable Path bodies, Random random, int version)
            throws IOException {
        this.live = live;
        this.store = store;
        this.ledger = ledger;
        this.keys = keys;
        this.bodies = bodies;
        this.random = random;
        OpenStore records = live.store(store, "bank");
        work = Objects.requireNonNull(records.work());
        log = Files.createTempFile("safebunny-bodies-", ".log");
        Node book = live.instance(
                "book", null, parts -> parts.codecs(KeyFile.codecs(new Counting(keys), bodies, live.timeline())));
        book.start(List.of(live.handler(
                Receipt.class,
                "bank",
                (payload, context) -> receipts.merge(((Receipt) payload).number(), 1, Integer::sum))));
        for (int number = 0; number < INSTANCES; number++) {
            children.add(start(version));
        }
        awaitStart();
    }

    private Child start(int version) {
        String process = "instance-" + ++started;
        BodyOptions options = new BodyOptions(
                process,
                address("bank"),
                live.name("desk"),
                store,
                ledger.port(),
                keys.path().toString(),
                bodies == null ? null : bodies.toString(),
                version);
        return Child.start(process, BodyMain.class, BodyOptions.VARIABLE, options.toText(), log);
    }

    private NodeAddress address(String node) {
        return new NodeAddress(
                live.name(node), live.prefix(), TestBroker.shared().uri().toString());
    }

    private int running() {
        return ledger.entries(Kind.STARTED).size() - ended;
    }

    private void awaitStart() {
        try {
            Awaitility.await().atMost(START).until(() -> running() == INSTANCES);
        } catch (ConditionTimeoutException e) {
            isLogKept = true;
            throw new IllegalStateException(
                    "%s instances run instead of %s. See %s".formatted(running(), INSTANCES, log), e);
        }
    }

    /** A desk of a version of the application, which has read the keys as they are now. */
    Node desk() {
        Node desk = live.unclosed(
                "desk",
                null,
                parts -> parts.codecs(KeyFile.codecs(KeyFile.keys(keys.path()), bodies, live.timeline())));
        desk.start(List.of());
        return desk;
    }

    /** The next payments; returns when they are confirmed. */
    void publish(Node desk, int version, int count) {
        List<CompletableFuture<?>> sent = IntStream.range(published, published + count)
                .<CompletableFuture<?>>mapToObj(number -> desk.bunny().publishAsync(Payment.of(version, number)))
                .toList();
        sent.forEach(CompletableFuture::join);
        published += count;
    }

    /** The next payments of the latest version, portion by portion, so that not too many wait. Instances are killed meanwhile. */
    void publishAmidKills(Node desk, int count, Duration patience) {
        for (int sent = 0; sent < count; sent += PORTION) {
            publish(desk, LATEST, PORTION);
            Awaitility.await().atMost(patience).pollInterval(POLL).until(() -> {
                maybeKill();
                return handled() >= published - BACKLOG;
            });
        }
    }

    int published() {
        return published;
    }

    /** Number of committed runs. */
    int handled() {
        return work.count(PaymentHandler.order(live.name("desk"), 0).replaceFirst("0$", ""));
    }

    /** Kills one, if all run, and two seconds have passed since the last time. */
    void maybeKill() {
        if (running() < INSTANCES || System.nanoTime() - killedAt < BETWEEN_KILLS.toNanos()) {
            return;
        }
        int victim = random.nextInt(INSTANCES);
        children.get(victim).close();
        kills++;
        ended++;
        children.set(victim, start(LATEST));
        killedAt = System.nanoTime();
    }

    /** Stops one as an application does on SIGTERM, and starts the next version in its place. */
    void replace(int instance, int version) {
        children.get(instance).stop();
        ended++;
        children.set(instance, start(version));
        awaitStart();
    }

    /** @param meanwhile called again and again until all is handled, and all receipts are there */
    void awaitEnd(Duration patience, Runnable meanwhile) {
        try {
            Awaitility.await().atMost(patience).pollInterval(POLL).until(() -> {
                meanwhile.run();
                return handled() >= published && receipts.size() >= published;
            });
        } catch (ConditionTimeoutException e) {
            // what is missing is in the figures
        }
    }

    int kills() {
        return kills;
    }

    /** How often the book has opened a data key. */
    int opened() {
        return opened.get();
    }

    int started() {
        return started;
    }

    /** Number of instances that have not ended. */
    long alive() {
        return children.stream().filter(Child::isAlive).count();
    }

    /** By the number of the payment. */
    Map<Integer, List<Run>> runs() {
        Map<String, List<String>> all = work.all();
        Map<Integer, List<Run>> runs = new LinkedHashMap<>();
        for (int number = 0; number < published; number++) {
            runs.put(
                    number,
                    all.getOrDefault(PaymentHandler.order(live.name("desk"), number), List.of()).stream()
                            .map(Run::of)
                            .toList());
        }
        return runs;
    }

    /** Nothing lost, doubled or set aside. */
    boolean judge(Map<String, Object> figures) throws IOException {
        Map<Integer, List<Run>> runs = runs();
        long lost = runs.values().stream().filter(List::isEmpty).count();
        long doubled = runs.values().stream().filter(each -> each.size() > 1).count();
        int receiptsLost = published - receipts.size();
        long receiptsDoubled =
                receipts.values().stream().filter(each -> each > 1).count();
        int poison = live.depth("bank", "poison") + live.depth("book", "poison");
        figures.put("messages", published);
        figures.put("lost", lost);
        figures.put("doubled", doubled);
        figures.put("receipts lost", receiptsLost);
        figures.put("receipts doubled", receiptsDoubled);
        figures.put("set aside", poison == 0 ? 0 : poison + ", such as " + live.somePoison("bank"));
        return lost == 0 && doubled == 0 && receiptsLost == 0 && receiptsDoubled == 0 && poison == 0;
    }

    @Override
    public void close() throws IOException {
        children.forEach(Child::close);
        if (!isLogKept) {
            Files.delete(log);
        }
    }

    /** Counts what is opened. */
    private final class Counting implements KeyProvider {

        private final KeyProvider counted;

        Counting(KeyFile keys) {
            counted = KeyFile.keys(keys.path());
        }

        @Override
        public DataKey current(String key) {
            return counted.current(key);
        }

        @Override
        public SecretKey open(WrappedKey wrapped) {
            opened.incrementAndGet();
            return counted.open(wrapped);
        }
    }
}
