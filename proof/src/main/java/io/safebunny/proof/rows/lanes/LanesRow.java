// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import io.safebunny.order.lane.LaneDocument;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.proof.rows.Live;
import io.safebunny.proof.rows.lanes.Step.Done;
import io.safebunny.proof.rows.lanes.Step.Fate;
import io.safebunny.proof.rows.lanes.Step.Holding;
import io.safebunny.proof.rows.lanes.Step.Skipping;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.store.ListingQuery;
import io.safebunny.test.broker.TestBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Messages of many keys, on three instances of one node that are killed and frozen, while some are retried and some are poison. Of half of the
 * keys, what is behind a poison message goes on; of the others it waits, until all are replayed.
 *
 * @param shards numbers of shards, which are rolled out one after the other, the first two in a quick run; empty if messages are not divided
 */
public record LanesRow(StoreAddress store, int keys, int each, int quickKeys, int quickEach, List<Integer> shards) {

    /** The broker notices after twice that time that an instance is frozen. */
    private static final String HEARTBEAT = "?heartbeat=2";

    /** In all. */
    private static final Duration PATIENCE_FULL = Duration.ofMinutes(20);

    private static final Duration PATIENCE_QUICK = Duration.ofMinutes(4);
    /** More. */
    private static final Duration PATIENCE_ROLLOUT = Duration.ofMinutes(2);

    private static final Duration SHORTEST = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration BETWEEN_REPLAYS = Duration.ofSeconds(3);
    private static final int MOST_COPIES = 10_000;
    /** Each key has one of them. */
    private static final int PUBLISHERS = 3;

    public LanesRow {
        shards = List.copyOf(shards);
    }

    /** Without shards. */
    public LanesRow(StoreAddress store, int keys, int each, int quickKeys, int quickEach) {
        this(store, keys, each, quickKeys, quickEach, List.of());
    }

    private static int first(List<Integer> shards) {
        return shards.isEmpty() ? 0 : shards.get(0);
    }

    private static int last(List<Integer> shards) {
        return shards.isEmpty() ? 0 : shards.get(shards.size() - 1);
    }

    public Finding find(Effort effort) throws Exception {
        List<Integer> rolledOut = effort.quick() && !shards.isEmpty() ? shards.subList(0, 2) : shards;
        int many = effort.of(keys, quickKeys);
        int length = effort.of(each, quickEach);
        Path log = Files.createTempFile("safebunny-lanes-", ".log");
        Path repaired = Files.createTempDirectory("safebunny-lanes-").resolve("repaired");
        try (Live live = new Live();
                Ledger ledger = new Ledger()) {
            OpenStore records = live.store(store, "shop");
            NodeAddress address = new NodeAddress(
                    live.name("shop"), live.prefix(), TestBroker.shared().uri() + HEARTBEAT);
            LaneOptions options = new LaneOptions(
                    "replaying",
                    address,
                    live.name("desk"),
                    store,
                    ledger.port(),
                    repaired.toString(),
                    effort.seed(),
                    first(rolledOut));
            Duration patience = (effort.quick() ? PATIENCE_QUICK : PATIENCE_FULL)
                    .plus(PATIENCE_ROLLOUT.multipliedBy(rolledOut.size()));
            Finding finding =
                    new Run(live, ledger, records, options, rolledOut, many, length, patience).measure(effort, log);
            if (finding.passed()) {
                Files.delete(log);
                return finding;
            }
            return finding.with("log of the instances", log);
        } finally {
            Files.deleteIfExists(repaired);
            Files.delete(repaired.getParent());
        }
    }

    /** One measurement. Not thread-safe. */
    private static final class Run {

        private final Live live;
        private final Ledger ledger;
        private final OpenStore records;
        private final LaneOptions options;
        private final Effects effects;
        private final List<Step> steps = new ArrayList<>();
        private final List<Integer> shards;
        private final Divisions divisions;
        private final Rollouts rollouts;
        private final Standstill standstill = new Standstill();
        private final List<Node> desks = new ArrayList<>();
        /** What the handlers have published, if they have. */
        private final Queue<Done> done = new ConcurrentLinkedQueue<>();

        private final long deadline;
        private long replayAt = System.nanoTime();
        private @Nullable PoisonOperation replay;
        /** By those before. */
        private int replayed;
        /** Messages below this number are published. */
        private volatile int confirmed;

        Run(
                Live live,
                Ledger ledger,
                OpenStore records,
                LaneOptions options,
                List<Integer> shards,
                int keys,
                int each,
                Duration patience) {
            this.deadline = System.nanoTime() + patience.toNanos();
            this.live = live;
            this.ledger = ledger;
            this.records = records;
            this.options = options;
            this.shards = shards;
            this.divisions = new Divisions(records.store());
            this.rollouts = new Rollouts(shards, divisions, each);
            this.effects =
                    records.database() == null ? Effects.in(ledger) : new EffectTable(records.database()).create();
            for (int number = 0; number < each; number++) {
                for (int key = 0; key < keys; key++) {
                    steps.add(Step.of(key, number));
                }
            }
            for (int number = 0; number < PUBLISHERS; number++) {
                Node desk = live.instance("desk", null);
                // each remembers for itself what it has handled: a repeat must come to the same one
                desk.start(
                        number > 0
                                ? List.of()
                                : List.of(live.handler(
                                        Done.class, "shop", (payload, context) -> done.add((Done) payload))));
                desks.add(desk);
            }
        }

        Finding measure(Effort effort, Path log) throws Exception {
            List<Step> wanted = steps.stream()
                    .filter(step -> step instanceof Holding || step.fate(effort.seed()) != Fate.POISON)
                    .toList();
            Map<String, Integer> heldAt = new LinkedHashMap<>();
            steps.stream()
                    .filter(step -> step instanceof Holding && step.fate(effort.seed()) == Fate.POISON)
                    .forEach(step -> heldAt.putIfAbsent(step.key(), step.number()));
            List<Step> free = wanted.stream()
                    .filter(step -> step.number() < heldAt.getOrDefault(step.key(), Integer.MAX_VALUE))
                    .toList();
            int held = wanted.size() - free.size();
            int toSkip = (int) steps.stream()
                    .filter(step -> step instanceof Skipping && step.fate(effort.seed()) == Fate.POISON)
                    .count();
            try (Fleet fleet = new Fleet(options, ledger, log, new Random(effort.seed()))) {
                CompletableFuture<Void> published = CompletableFuture.runAsync(this::publish);
                boolean arrived = await(fleet, () -> {
                    rollouts.advance(fleet);
                    int handled = effects.messages();
                    int due = (int) free.stream()
                            .filter(step -> step.number() < confirmed)
                            .count();
                    standstill.look(handled, due);
                    return handled >= free.size() && rollouts.areDone();
                });
                effort.progress()
                        .accept("%s of %s handled, %s wait for a replay, %s kills, %s freezes"
                                .formatted(effects.messages(), steps.size(), held, fleet.kills(), fleet.freezes()));
                rollouts.release();
                published.join();
                boolean heldBack = effects.messages() == free.size();
                Files.createFile(Path.of(options.repaired()));
                try (Node replaying = replaying()) {
                    PoisonMessages poison = replaying.poisonMessages();
                    arrived &= await(fleet, () -> {
                        replayWhenDue(poison);
                        return effects.messages() >= wanted.size();
                    });
                    boolean drained = await(fleet, () -> isDrained(wanted.size()) && skipped(poison) >= toSkip);
                    fleet.stop();
                    Map<String, Object> figures = new LinkedHashMap<>();
                    figures.put("messages", steps.size());
                    figures.put("keys", steps.stream().map(Step::key).distinct().count());
                    figures.put("kills", fleet.kills());
                    figures.put("freezes", fleet.freezes());
                    if (!shards.isEmpty()) {
                        figures.put("rollouts", rollouts.begun());
                        figures.put("instances replaced", fleet.replaced());
                        figures.put("shards", divisions.describe());
                    }
                    figures.put("longest standstill, s", standstill.seconds());
                    figures.put("held until replayed", held);
                    figures.put("replayed", replayed + moved());
                    figures.put("set aside and skipped", skipped(poison));
                    boolean passed = judge(figures, wanted, toSkip - skipped(poison));
                    figures.put("lanes left", drained ? "none" : "some");
                    figures.put("instances that ended by themselves", fleet.ended());
                    boolean isDivided = rollouts.areDone() && rollouts.begun() == Math.max(0, shards.size() - 1);
                    boolean disturbed = fleet.ended() == 0 && fleet.kills() > 0 && fleet.freezes() > 0;
                    return new Finding(passed && arrived && heldBack && drained && isDivided && disturbed, figures);
                }
            }
        }

        /** Each number of all keys is confirmed before the next one. */
        private void publish() {
            List<CompletableFuture<?>> sent = new ArrayList<>();
            try {
                for (Step step : steps) {
                    if (sent.isEmpty() || step.number() > confirmed) {
                        sent.forEach(CompletableFuture::join);
                        sent.clear();
                        confirmed = step.number();
                        rollouts.await(confirmed);
                    }
                    Node desk = desks.get(Math.floorMod(step.key().hashCode(), desks.size()));
                    sent.add(desk.bunny().publishAsync(step));
                }
                sent.forEach(CompletableFuture::join);
                confirmed = Integer.MAX_VALUE;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private boolean await(Fleet fleet, BooleanSupplier end) {
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            try {
                Awaitility.await()
                        .atMost(left.compareTo(SHORTEST) < 0 ? SHORTEST : left)
                        .pollInterval(POLL)
                        .until(() -> {
                            fleet.disturb(effects.latest());
                            return end.getAsBoolean();
                        });
                return true;
            } catch (ConditionTimeoutException e) {
                return false; // what is missing is in the figures
            }
        }

        /** A fourth instance, which nobody interrupts. */
        private Node replaying() {
            Node node = new Node(
                    options.address(),
                    new Persistence(
                            records.store(), null, options.store().kind().lease()),
                    live.timeline(),
                    transport -> transport);
            EffectTable table = effects instanceof EffectTable inDatabase ? inDatabase : null;
            node.start(new StepHandlers(
                            options.divided(last(shards)),
                            table,
                            new LedgerClient(ledger.port(), options.process()),
                            node,
                            live.timeline())
                    .handlers());
            return node;
        }

        /** Does not wait for it: while an instance is frozen in a transaction, a replay waits for that. */
        private void replayWhenDue(PoisonMessages poison) {
            PoisonOperation before = replay;
            if (System.nanoTime() < replayAt || (before != null && isRunning(before))) {
                return;
            }
            replayed += moved();
            PoisonFilter held =
                    PoisonFilter.all().withType(Holding.class.getSimpleName()).withLimit(MOST_COPIES);
            replay = poison.replay(PoisonRequest.of(held, "proof", "repaired"));
            replayAt = System.nanoTime() + BETWEEN_REPLAYS.toNanos();
        }

        private static boolean isRunning(PoisonOperation operation) {
            return operation.progress().state() == PoisonOperation.RunState.RUNNING;
        }

        /** By the last replay. */
        private int moved() {
            return replay == null ? 0 : replay.progress().moved();
        }

        private boolean isDrained(int wanted) {
            return (effects instanceof EffectTable || done.size() >= wanted)
                    && List.of(LaneDocument.DUE, LaneDocument.HELD).stream().allMatch(status -> records.store()
                            .findListed(new ListingQuery(LaneDocument.KIND, status, null, null, 1))
                            .isEmpty());
        }

        /** Number of messages in the poison queue that nobody replays. */
        private static int skipped(PoisonMessages poison) {
            return (int) poison
                    .list(PoisonFilter.all()
                            .withType(Skipping.class.getSimpleName())
                            .withLimit(MOST_COPIES))
                    .messages()
                    .stream()
                    .map(PoisonedMessage::messageId)
                    .distinct()
                    .count();
        }

        /** @param missing how many are set aside and not in the poison queue */
        private boolean judge(Map<String, Object> figures, List<Step> wanted, int missing) {
            Sequences sequences = Sequences.of(effects.all(), wanted);
            figures.put("inverted", sequences.inverted());
            figures.put("lost", sequences.lost() + missing);
            boolean isDoubled;
            if (effects instanceof EffectTable) {
                figures.put("doubled", sequences.repeated());
                figures.put("begun before the one before had ended", sequences.overlapping());
                isDoubled = sequences.repeated() > 0;
            } else {
                // once for each message, whatever runs were repeated because their end was not stored
                isDoubled = done.size() != wanted.size()
                        || List.copyOf(done).stream().distinct().count() != wanted.size();
                figures.put("publications", done.size());
                figures.put("runs repeated", sequences.repeated());
            }
            return sequences.inverted() == 0
                    && sequences.lost() == 0
                    && missing == 0
                    && sequences.unwanted() == 0
                    && sequences.overlapping() == 0
                    && !isDoubled;
        }
    }
}
