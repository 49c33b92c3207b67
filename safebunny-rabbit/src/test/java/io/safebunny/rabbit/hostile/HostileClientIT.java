// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.Published;
import io.safebunny.rabbit.hostile.RawClient.Answer;
import io.safebunny.test.broker.TestBroker;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * A compromised node sends a node of ours all that is wrong, one thing at a time and then thousands mixed with good messages. The flood
 * is one; each test looks at another side of what it left behind.
 */
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("once")
class HostileClientIT {

    private static final String VICTIM = "victim";
    private static final String SHOP = "shop";
    private static final String ATTACKER = "attacker";
    private static final List<String> QUEUES =
            List.of(VICTIM + "-Order", VICTIM + "-Payment", VICTIM + "-Note", VICTIM + "-dead-letters");

    private static final int BAD = Integer.getInteger("hostile.messages", 20_000);

    /** Orders and notes; each order has a payment follow. */
    private static final int GOOD = 600;

    private static final long SEED = Long.getLong("hostile.seed", 20_260_101);
    /** The records of what was handled; what was sent is ten times as much. */
    private static final long HEAP = 48L << 20;

    private static final int THREADS = 5;

    /** What goes from queue to queue may arrive twice. */
    private static final int TWICE = 5;

    /** With those of stack traces, of which twenty a minute are printed for each way to fail; without a bound there were 11,000 in ten seconds. */
    private static final int LINES_A_MINUTE = 3_000;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Effects effects = new Effects();
    private final Instant begun = Instant.now();

    private VirtualHost host;
    private Party victim;
    private LogWatch log;
    private Flood flood;
    private Map<String, String> connectionsBefore = Map.of();
    private Map<String, String> connectionsAfter = Map.of();
    private long heapBefore;
    private long heapAfter;
    private int threadsBefore;
    private Duration took = Duration.ZERO;
    private String summary = "";
    private Map<String, Integer> poisoned = Map.of();
    private long poisonLength;
    private long unrouted;

    @BeforeAll
    void theFlood() throws Exception {
        TestBroker broker = TestBroker.shared();
        assumeTrue(broker.isPrivate(), "Needs a broker whose users are the test's to create");
        String name = "hostile." + UUID.randomUUID().toString().substring(0, 8);
        host = new VirtualHost(broker.createVirtualHost(name), name);
        victim = new Party(host, VICTIM, bunny -> effects.handlers(VICTIM, SHOP, ATTACKER, bunny));
        try (Party shop = new Party(host, SHOP, bunny -> List.of())) {
            await().atMost(PATIENCE).until(() -> victim.isUsable() && shop.isUsable());
            log = LogWatch.begin(); // the topology is told in many lines
            host.createUser(
                    name, "secret", "^attacker-.*", "^(amq\\.default|safebunny.*|attacker-.*)$", "^attacker-.*");
            host.allowKeys(name, "^attacker-.*");
            boolean isOld = broker.version().startsWith("3.");
            flood = new Flood(
                    () -> RawClient.connect(broker.host(), broker.port(), host.name(), name, "secret"),
                    VICTIM,
                    ATTACKER,
                    effects,
                    kind -> !isOld || !kind.stopsDeadLettering());
            Flood.publish(shop.bunny(), 0).get(30, TimeUnit.SECONDS);
            await().atMost(PATIENCE).until(() -> effects.good().containsKey("po0")); // declares the rungs it needs
            connectionsBefore = connections();
            attack(shop);
            connectionsAfter = connections();
        }
        poisoned = new PoisonQueue(host, VICTIM, begun).drain();
        summary =
                "seed %d: taken %d, handled %d, suppressed %d, poisoned %s, unrouted %d, in %s; %d lines, %d traces; heap %d KiB more"
                        .formatted(
                                SEED,
                                flood.taken(),
                                effects.hostile(),
                                suppressed(),
                                poisoned,
                                unrouted,
                                took,
                                log.lines(),
                                log.traces(),
                                (heapAfter - heapBefore) / 1024);
    }

    private void attack(Party shop) throws Exception {
        try (RawClient client = flood.connect()) {
            flood.one(Kinds.all(client.largestProperties()));
        }
        awaitQuiet();
        threadsBefore = threads();
        heapBefore = heap();
        long start = System.nanoTime();
        List<CompletableFuture<Published>> published = flood.many(BAD, GOOD, shop.bunny(), new Random(SEED));
        for (CompletableFuture<Published> each : published) {
            assertThat(each.get(60, TimeUnit.SECONDS).messageId()).isNotEmpty();
        }
        awaitQuiet();
        took = Duration.ofNanos(System.nanoTime() - start);
        heapAfter = heap();
    }

    /** All that was taken has arrived where it ends. */
    private void awaitQuiet() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> {
            Map<String, Long> lengths = lengths();
            poisonLength = lengths.getOrDefault(VICTIM + "-poison", 0L);
            unrouted = lengths.getOrDefault("safebunny.unrouted", 0L);
            return lengths.entrySet().stream()
                            .filter(queue -> QUEUES.contains(queue.getKey()))
                            .allMatch(queue -> queue.getValue() == 0)
                    && accounted() >= flood.taken();
        });
    }

    private long accounted() {
        return effects.hostile() + suppressed() + poisonLength + unrouted;
    }

    private long suppressed() {
        return victim.count("safebunny.dedup", "outcome", "hit");
    }

    private Map<String, Long> lengths() {
        return host.onBroker(channel -> {
            Map<String, Long> lengths = new LinkedHashMap<>();
            for (String queue : QUEUES) {
                lengths.put(queue, channel.messageCount(queue));
            }
            lengths.put(VICTIM + "-poison", channel.messageCount(VICTIM + "-poison"));
            lengths.put("safebunny.unrouted", channel.messageCount("safebunny.unrouted"));
            return lengths;
        });
    }

    /** Of the victim; the broker tells of new ones late. */
    private Map<String, String> connections() {
        await().atMost(PATIENCE).until(() -> ours().size() == 3);
        return ours();
    }

    private Map<String, String> ours() {
        Map<String, String> ours = host.connections();
        ours.values().removeIf(name -> !name.startsWith(VICTIM));
        return ours;
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @AfterAll
    void delete() {
        if (victim != null) {
            victim.close();
            log.close();
            host.delete(host.name());
        }
    }

    @Test
    void everyGoodMessageIsHandledExactlyOnce() {
        for (int i = 0; i < GOOD; i++) {
            assertThat(effects.good()).as(summary).containsKey(i % 3 == 2 ? "n" + i : "po" + i);
        }
        assertThat(effects.good().values()).as(summary).allSatisfy(runs -> assertThat(runs)
                .hasValue(1));
        assertThat(effects.good()).as(summary).hasSize(GOOD + GOOD * 2 / 3);
    }

    @Test
    void noConnectionOfTheVictimIsLost() {
        assertThat(connectionsAfter).as(summary).isEqualTo(connectionsBefore);
    }

    /** Handled, suppressed as a duplicate, in the poison queue with the reason that was counted, or where nobody is bound. */
    @Test
    void everyHostileMessageIsAccountedFor() {
        assertThat(accounted()).as(summary).isBetween(flood.taken(), flood.taken() + TWICE);
        poisoned.forEach((reason, number) -> assertThat(victim.count("safebunny.poison", "reason", reason))
                .as("%s, %s", reason, summary)
                .isEqualTo(number.longValue()));
    }

    @Test
    void memoryAndThreadsAreAsBefore() {
        assertThat(heapAfter - heapBefore).as(summary).isLessThan(HEAP);
        await().atMost(PATIENCE).until(() -> threads() <= threadsBefore + THREADS);
    }

    @Test
    void theVictimIsWell() {
        assertThat(victim.isUsable()).as(summary).isTrue();
        assertThat(victim.engine().held()).as(summary).isEmpty();
        // of undos that no saga sent: nobody is there to whom they could be acknowledged
        assertThat(victim.engine().waiting().destinations().keySet())
                .as(summary)
                .isSubsetOf(Set.of(VICTIM + "-BunnyUndone"));
    }

    @Test
    void theLogIsBounded() {
        assertThat(log.lines()).as(summary).isLessThan(LINES_A_MINUTE * (1 + took.toMinutes()));
    }

    @Test
    void noSenderBeginsALineOfTheLog() {
        assertThat(log.broken()).as(summary).isEmpty();
    }

    /** So that these attacks end before they reach anybody: the client library would have to end its connection over some of them. */
    @Test
    void theBrokerRefusesWhatClientsCannotRead() {
        assertThat(flood.answers().get(Answer.CONNECTION_CLOSED))
                .as(summary)
                .extracting(Kind::name)
                .contains(
                        "field without a value",
                        "text longer than its table",
                        "array that ends within a field",
                        "properties cut off");
    }
}
