// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.Verdict;
import io.safebunny.proof.child.Child;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.matrix.stage.Queues;
import io.safebunny.proof.replay.InstanceOptions.Duty;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.StoreKind;
import io.safebunny.proof.store.StoreServers;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.time.SystemTimeline;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Two instances replay the poison queue of a real broker at once, and one of them is killed, for each point of a replay. The property
 * {@code crash.replay.messages} sets how many messages there are.
 */
@Tag("once")
class KilledReplayIT {

    private static final int MESSAGES = Integer.getInteger("crash.replay.messages", 300);
    private static final List<Halt> POINTS =
            List.of(Halt.TAKEN, Halt.UNSENT, Halt.UNCONFIRMED, Halt.CONFIRMED, Halt.ACKNOWLEDGED);
    /** The broker has the message, and the copy comes back: a copy of a message that is handled may be left. */
    private static final int LEFT_AT_MOST = 2;

    private static final int SHARE = MESSAGES / POINTS.size();
    private static final int OF_VICTIM = SHARE / 6;
    private static final int OF_SURVIVOR = SHARE - OF_VICTIM;
    private static final double SECONDS_OF_SURVIVOR = 2;

    private static final Path LOGS = Path.of("target", "crash");
    private static final StoreServers SERVERS = new StoreServers();
    private static final ConditionFactory PATIENCE =
            Awaitility.await().atMost(Duration.ofMinutes(10)).pollInterval(Duration.ofMillis(20));

    private final String broker = TestBroker.shared().uri().toString();
    private final String run = "replay-" + UUID.randomUUID().toString().substring(0, 8);
    private final NodeAddress address = new NodeAddress(run, run, broker);
    private final NodeAddress sender = new NodeAddress(run + "-desk", run, broker);
    private final StoreAddress store = SERVERS.address(StoreKind.POSTGRESQL, true);
    private final Ledger ledger = new Ledger();
    private final Queues queues = new Queues(broker);
    private final SystemTimeline timeline = new SystemTimeline("replay test");
    private final OpenStore view = OpenStore.open(store, run, timeline);
    private final List<Child> instances = new ArrayList<>();

    @BeforeEach
    void logs() throws Exception {
        Files.createDirectories(LOGS);
    }

    @AfterEach
    void close() {
        instances.forEach(Child::close);
        for (String queue : List.of(orders(), poison(), run + "-dead-letters", run + "-desk-dead-letters")) {
            queues.delete(queue);
        }
        queues.delete(run + "-desk-poison");
        queues.close();
        view.close();
        timeline.close();
        ledger.close();
    }

    @AfterAll
    static void closeServers() {
        SERVERS.close();
    }

    @Test
    void nothingIsLostOrHandledTwiceWhereverAnInstanceIsKilled() {
        long began = System.nanoTime();
        setAside();
        Child worker = start("worker", Duty.NONE, 1, 0, Halt.NEVER);
        awaitStarted(worker);
        int moved = 0;
        for (Halt point : POINTS) {
            moved += killAt(point);
        }
        Child last = start("last", Duty.REPLAY_ALL, 100_000, 0, Halt.NEVER);
        ledger.letGo(last.name(), Kind.STARTED);
        Replayed rest = awaitReplayed(last);
        PATIENCE.until(() -> queues.messages(orders()) == 0);
        instances.forEach(KilledReplayIT::stop);

        int left = queues.messages(poison());
        print("killed at %s; survivors moved %d, the last one %d; %d effects of %d messages, %d copies left %s; %d s"
                .formatted(
                        POINTS,
                        moved,
                        rest.moved(),
                        effects("*"),
                        effects("distinct order_id"),
                        left,
                        rest.verdicts(),
                        Duration.ofNanos(System.nanoTime() - began).toSeconds()));
        assertThat(effects("distinct order_id")).as("messages handled").isEqualTo(MESSAGES);
        assertThat(effects("*")).as("effects").isEqualTo(MESSAGES);
        assertThat(rest.verdicts().keySet()).isSubsetOf(Verdict.DONE);
        assertThat(rest.verdicts().getOrDefault(Verdict.DONE, 0)).isEqualTo(left);
        assertThat(left).isLessThanOrEqualTo(LEFT_AT_MOST);
        assertThat(queues.messages(run + "-dead-letters")).isZero();
    }

    /** What it has read is held by its connection alone. */
    @Test
    void nothingIsMissingAfterACountWasKilled() {
        setAside();
        Child victim = launch(new InstanceOptions(
                "victim",
                address,
                sender.node(),
                store,
                ledger.port(),
                false,
                Duty.COUNT,
                MESSAGES,
                0,
                Halt.TAKEN,
                MESSAGES / 2));
        awaitStarted(victim);
        ledger.letGo(victim.name(), Kind.STARTED);
        PATIENCE.until(() -> !ledger.entries(victim.name(), Kind.REACHED).isEmpty());
        assertThat(queues.messages(poison())).isEqualTo(MESSAGES - MESSAGES / 2);
        victim.close();

        PATIENCE.until(() -> queues.messages(poison()) == MESSAGES);
        Child last = start("last", Duty.COUNT, 100_000, 0, Halt.NEVER);
        awaitStarted(last);
        ledger.letGo(last.name(), Kind.STARTED);
        Replayed counted = awaitReplayed(last);
        stop(last);

        assertThat(counted.state()).isEqualTo(RunState.ENDED);
        assertThat(counted.verdicts()).isEqualTo(Map.of(Verdict.RUN, MESSAGES));
        assertThat(queues.messages(poison())).isEqualTo(MESSAGES);
        assertThat(effects("*")).isZero();
    }

    /** @return how many messages the one that was not killed has moved */
    private int killAt(Halt point) {
        Child victim = start("victim-" + point, Duty.REPLAY, OF_SURVIVOR, 0, point);
        Child survivor =
                start("survivor-" + point, Duty.REPLAY, OF_SURVIVOR, OF_SURVIVOR / SECONDS_OF_SURVIVOR, Halt.NEVER);
        awaitStarted(victim);
        awaitStarted(survivor);
        ledger.letGo(survivor.name(), Kind.STARTED);
        ledger.letGo(victim.name(), Kind.STARTED);

        PATIENCE.until(() -> !ledger.entries(victim.name(), Kind.REACHED).isEmpty());
        assertThat(ledger.entries(survivor.name(), Kind.REPLAYED))
                .as("both replay when one is killed")
                .isEmpty();
        victim.close();

        Replayed replayed = awaitReplayed(survivor);
        assertThat(replayed.state()).isEqualTo(RunState.ENDED);
        assertThat(replayed.moved()).isPositive();
        survivor.stop();
        return replayed.moved();
    }

    private void setAside() {
        Child broken = launch(new InstanceOptions(
                "broken", address, sender.node(), store, ledger.port(), true, Duty.NONE, 1, 0, Halt.NEVER, 1));
        awaitStarted(broken);
        ledger.letGo(broken.name(), Kind.STARTED);
        MemoryMessageStore memory = new MemoryMessageStore(timeline, Duration.ofDays(1));
        try (Node desk =
                new Node(sender, new Persistence(memory, null, Duration.ofSeconds(2)), timeline, plain -> plain)) {
            desk.start(List.of());
            for (int order = 0; order < MESSAGES; order++) {
                desk.bunny()
                        .publish(
                                new Order(run + '-' + order, OrderKind.SILENT),
                                PublishOptions.none().withCorrelationId(run + '-' + order));
            }
        }
        PATIENCE.until(() -> queues.messages(poison()) == MESSAGES);
        broken.stop();
        assertThat(effects("*")).isZero();
    }

    private Child start(String process, Duty duty, int limit, double perSecond, Halt halt) {
        return launch(new InstanceOptions(
                process, address, sender.node(), store, ledger.port(), false, duty, limit, perSecond, halt, OF_VICTIM));
    }

    /** Waits for the go once it handles, and at its point, if it has one, until it is killed. */
    private Child launch(InstanceOptions options) {
        ledger.hold(options.process(), Kind.STARTED);
        ledger.hold(options.process(), Kind.REACHED);
        Child child = Child.start(
                options.process(),
                InstanceMain.class,
                InstanceOptions.VARIABLE,
                options.toText(),
                LOGS.resolve(run + ".log"));
        instances.add(child);
        return child;
    }

    private void awaitStarted(Child child) {
        PATIENCE.until(() -> {
            assertThat(child.isAlive()).as(child.name()).isTrue();
            return !ledger.entries(child.name(), Kind.STARTED).isEmpty();
        });
        if (child.name().equals("worker")) {
            ledger.letGo(child.name(), Kind.STARTED);
        }
    }

    private Replayed awaitReplayed(Child child) {
        List<Entry> entries =
                PATIENCE.until(() -> ledger.entries(child.name(), Kind.REPLAYED), found -> !found.isEmpty());
        return Replayed.of(entries.get(0).detail());
    }

    private static void stop(Child child) {
        if (child.isAlive()) {
            child.stop();
        }
    }

    private int effects(String what) {
        return JdbcClient.create(Objects.requireNonNull(view.database()))
                .sql("select count(" + what + ") from crash_work where order_id like ?")
                .param(run + "-%")
                .query(Integer.class)
                .single();
    }

    private String orders() {
        return run + "-Order";
    }

    private String poison() {
        return run + "-poison";
    }

    private static void print(String line) {
        System.err.println("killed replay: " + line);
    }
}
