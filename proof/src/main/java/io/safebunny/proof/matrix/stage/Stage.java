// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix.stage;

import io.safebunny.handler.Sharding;
import io.safebunny.message.WireMessage;
import io.safebunny.proof.child.Child;
import io.safebunny.proof.child.ChildOptions;
import io.safebunny.proof.child.Plan;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.Ledger;
import io.safebunny.proof.saga.Desk;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.StoreServers;
import io.safebunny.proof.trip.TripSaga;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/**
 * The environment of one scenario with one store: a desk, a ledger, and a worker node whose processes come and go. All names are
 * unique, so that scenarios do not see each other. Used by one thread.
 */
public final class Stage implements AutoCloseable {

    private static final Duration STEP = Duration.ofMinutes(2);
    private static final Duration ANOTHER_COPY = Duration.ofSeconds(1);
    private static final Sharding SHARDS = Sharding.into(2);
    private static final long IDLE_MILLIS = 1_000;

    private final StoreAddress address;
    private final NodeAddress worker;
    private final NodeAddress deskAddress;
    private final Path log;
    private final Path decided;
    private final OrderKind kind;
    private final Ledger ledger = new Ledger();
    private final SystemTimeline timeline = new SystemTimeline("stage");
    private final @Nullable StoreView store;
    private final StageQueues queues;
    private final Desk desk;
    private final List<Child> children = new ArrayList<>();
    private final List<Plan> plans = new ArrayList<>();
    private @Nullable String messageId;

    /**
     * @param name name of the run, unique on the broker and in the store
     * @param prefix prefix of the exchanges
     * @param log receives the output of its processes
     * @param kind of the orders that the worker works on
     */
    public Stage(String name, String prefix, String broker, StoreAddress address, Path log, OrderKind kind) {
        this.kind = kind;
        this.address = StoreServers.forRun(address, name);
        this.worker = new NodeAddress(name + "-work", prefix, broker);
        this.deskAddress = new NodeAddress(name + "-desk", prefix, broker);
        this.log = log;
        this.decided = log.resolveSibling(name + ".decided").toAbsolutePath();
        this.store = address.kind().isDurable()
                ? new StoreView(this.address, worker.node(), timeline, this::reachable)
                : null;
        this.desk = new Desk(deskAddress, worker.node(), ledger);
        this.queues = new StageQueues(worker, deskAddress, kind); // the desk has declared the exchange by now
    }

    /**
     * How to reach a file that one process has open, or {@code null} while that is unknown: a process that has started but not
     * consumed yet may just be opening it.
     */
    private @Nullable StoreAddress reachable() {
        List<Child> alive = children.stream().filter(Child::isAlive).toList();
        if (alive.isEmpty()) {
            return address;
        }
        List<Entry> started = ledger.entries(alive.get(alive.size() - 1).name(), Kind.STARTED);
        return started.isEmpty() ? null : address.through(started.get(0).detail());
    }

    public StoreAddress address() {
        return address;
    }

    // ---- what scripts do

    /** Starts a process that waits for {@link #go}. */
    public Child prepare(Plan plan) {
        return prepare(plan, null, sharding());
    }

    /** Like {@link #prepare(Plan)}; the process places an order once it has started. */
    public Child prepare(Plan plan, @Nullable Order placed) {
        return prepare(plan, placed, sharding());
    }

    /** Like {@link #prepare(Plan)}; the process divides the orders into these shards. */
    public Child prepare(Plan plan, Sharding sharding) {
        return prepare(plan, null, sharding);
    }

    private @Nullable Sharding sharding() {
        return kind.isInShards() ? SHARDS : null;
    }

    private Child prepare(Plan plan, @Nullable Order placed, @Nullable Sharding sharding) {
        String process = "worker-" + (children.size() + 1);
        ledger.hold(process, Kind.READY);
        if (plan.action() == Plan.Action.HOLD) {
            ledger.hold(process, Kind.REACHED);
        }
        Child child = Child.start(
                new ChildOptions(
                        process,
                        worker,
                        deskAddress.node(),
                        address,
                        ledger.port(),
                        plan,
                        placed,
                        kind,
                        sharding,
                        decided.toString()),
                log);
        children.add(child);
        plans.add(plan);
        return child;
    }

    /** Lets it start consuming. */
    public void go(Child child) {
        await(child.name() + " is ready", () -> {
            requireAlive(child);
            return !ledger.entries(child.name(), Kind.READY).isEmpty();
        });
        ledger.letGo(child.name(), Kind.READY);
    }

    public Child start(Plan plan) {
        Child child = prepare(plan);
        go(child);
        awaitStarted(child);
        return child;
    }

    public void awaitStarted(Child child) {
        await(child.name() + " consumes", () -> {
            requireAlive(child);
            return !ledger.entries(child.name(), Kind.STARTED).isEmpty();
        });
    }

    private static void requireAlive(Child child) {
        if (!child.isAlive()) {
            throw new StageException(child.name() + " ended before it could begin. Check its output");
        }
    }

    /** Publishes the order; a repeat publishes a copy. */
    public void publish(Order order) {
        messageId = desk.publish(order);
    }

    /** Publishes copies of the order until this process has received one. */
    public void publishUntilDelivered(Order order, Child child) {
        await(child.name() + " has the message", () -> {
            publish(order);
            long patience = System.nanoTime() + ANOTHER_COPY.toNanos();
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(20))
                    .atMost(STEP)
                    .until(() -> wasDelivered(child) || System.nanoTime() - patience > 0);
            return wasDelivered(child);
        });
    }

    private boolean wasDelivered(Child child) {
        return deliveries(child) > 0;
    }

    public int deliveries(Child child) {
        return ledger.entries(child.name(), Kind.DELIVERED).size();
    }

    public void awaitReached(Child child) {
        await(child.name() + " reaches its point", () -> {
            if (!child.isAlive() && !hasReached(child)) {
                throw new StageException(
                        child.name() + " ended before it reached its point. Check its output and the plan");
            }
            return hasReached(child);
        });
    }

    private boolean hasReached(Child child) {
        return !ledger.entries(child.name(), Kind.REACHED).isEmpty();
    }

    public void awaitHalted(Child child) {
        awaitReached(child);
        if (!child.hasEndedWithin(STEP)) {
            throw new StageException(child.name() + " was not halted. Check the plan");
        }
    }

    public void letGo(Child child) {
        ledger.letGo(child.name(), Kind.REACHED);
    }

    /** Removes the message, as an operator or a limit might. */
    public void loseDelivery() {
        await("the message is back in its queue", () -> queues.messages(queues.orders()) > 0);
        queues.purgeOrders();
    }

    /** Waits until the first order is poison, all others wait for it, and none has begun for a while. */
    public void awaitHeld(Order order) {
        await(
                "the first order holds the others",
                () -> arrivedParts() == order.parts().size()
                        && queues.messages(queues.orders()) == 0
                        && queues.messages(queues.poison()) > 0
                        && ledger.idleMillis() > IDLE_MILLIS);
    }

    private long arrivedParts() {
        return ledger.entries(Kind.DELIVERED).stream()
                .map(Entry::subject)
                .distinct()
                .count();
    }

    /** From now on a person may decide on what holds others. */
    public void decide() {
        ledger.write(new Entry(Kind.DECIDED, "stage", "", ""));
        try {
            Files.createFile(decided);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void await(String what, Callable<Boolean> condition) {
        try {
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .atMost(STEP)
                    .until(condition);
        } catch (org.awaitility.core.ConditionTimeoutException e) {
            throw new StageException("waited in vain; check the output of the processes: " + what, e);
        }
    }

    // ---- what is left behind

    public Ledger ledger() {
        return ledger;
    }

    public StageQueues queues() {
        return queues;
    }

    public List<WireMessage> arrived() {
        return desk.arrived();
    }

    /** Processes that did not reach the point of their plan. */
    public List<String> neverReached() {
        List<String> missing = new ArrayList<>();
        for (int i = 0; i < plans.size(); i++) {
            if (plans.get(i).happens() && !hasReached(children.get(i))) {
                missing.add(plans.get(i).point());
            }
        }
        return missing;
    }

    @Nullable
    public MessageRecord record(Order order) {
        String id = messageId;
        return store == null || id == null
                ? null
                : store.ask(open -> open.store().find(new RecordKey(order.id(), id)));
    }

    /** The order's saga as it is stored; a missing node if it is not, or cannot be read now. */
    public JsonNode saga(Order order) {
        RecordKey key = RecordKey.companion(order.id(), "saga." + TripSaga.NAME);
        MessageRecord stored =
                store == null ? null : store.ask(open -> open.store().find(key));
        return stored == null
                ? MissingNode.getInstance()
                : JsonMapper.shared().readTree(stored.steps().getOrDefault("saga", ""));
    }

    /** Whether no message waits for its publications to be sent: a second delivery of such a message comes back again and again. */
    public boolean allIsDispatched() {
        return store != null
                && Boolean.TRUE.equals(store.ask(
                        open -> open.store().findCompleted(Duration.ZERO, 1).isEmpty()));
    }

    /** Runs whose rows were committed, or {@code null} if the handlers have no table. */
    @Nullable
    public List<String> committedRuns(String order) {
        return store == null
                ? null
                : store.ask(open -> open.work() == null ? null : open.work().runs(order));
    }

    /** Number of unconfirmed publications in the outbox; -1 if that cannot be determined now. */
    public int unsent() {
        return store == null ? 0 : Objects.requireNonNullElse(store.ask(open -> open.unsent(worker.node())), -1);
    }

    /** Everything there is to know, for humans. */
    public String describe() {
        return ledger.describe() + "\n"
                + String.join(
                        "\n", arrived().stream().map(WireMessage::toString).toList());
    }

    public boolean isDurable() {
        return store != null;
    }

    @Nullable
    public String messageId() {
        return messageId;
    }

    public String workerName() {
        return worker.node();
    }

    /** Shuts all processes down cleanly. */
    public void stop() {
        children.forEach(Child::stop);
        desk.close(); // before the checks: nothing is handled any more
    }

    @Override
    public void close() {
        children.forEach(Child::close);
        desk.close();
        queues.close();
        if (store != null) {
            store.close();
        }
        timeline.close();
        ledger.close();
        try {
            Files.deleteIfExists(decided);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
