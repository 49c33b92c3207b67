// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.child.Child;
import io.safebunny.proof.child.Plan;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.point.Moment;
import io.safebunny.proof.point.Operation;
import io.safebunny.proof.point.Point;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.StoreKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Scenarios with publications in the application's transactions. */
final class OutboxScenarios {

    /** Longer than the time for which a message is left to the process that published it. */
    private static final Duration DOWN = Duration.ofMillis(2_500);

    /** Time after which the relays may claim a message. */
    private static final long DUE_MILLIS = 1_100;

    private static final List<Operation> DIRECT = List.of(
            Operation.STORE_PUBLICATION,
            Operation.COMMIT_PUBLICATIONS,
            Operation.LOOK_BEFORE_SENDING,
            Operation.SEND_FIRST,
            Operation.SEND_SECOND,
            Operation.DELETE_PUBLICATIONS);
    private static final List<Operation> RELAYED = List.of(
            Operation.RELAY_LOOK,
            Operation.RELAY_CLAIM,
            Operation.SEND_FIRST,
            Operation.SEND_SECOND,
            Operation.DELETE_PUBLICATIONS);
    /** A crash right after the commit, which leaves everything to the relays. */
    private static final Plan COMMITTED = Plan.halt(Point.after(Operation.COMMIT_PUBLICATIONS));

    private OutboxScenarios() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            DIRECT.forEach(operation -> all.add(crash(new Point(moment, operation, ""))));
            RELAYED.forEach(operation -> all.add(relayCrash(new Point(moment, operation, ""))));
        }
        all.add(row("rolled back", OrderKind.ROLLED_BACK, OutboxScenarios::playRollback));
        DIRECT.stream().filter(Operation::isOfStore).forEach(operation -> {
            all.add(trouble(outageFrom(operation), outage(operation)));
            all.add(trouble(answerLost(operation), blink(operation)));
        });
        RELAYED.stream().filter(Operation::isOfStore).forEach(operation -> {
            all.add(relayTrouble(outageFrom(operation), outage(operation)));
            all.add(relayTrouble(answerLost(operation), blink(operation)));
        });
        all.add(rowOfTwo("two relays at once", OrderKind.PLACED_IN_BULK, OutboxScenarios::playRelayTwins));
        all.add(standstill());
        all.add(rowOfTwo("zombie publisher before send", OrderKind.PLACED, OutboxScenarios::playZombiePublisher));
        all.add(rowOfTwo("zombie relay before send", OrderKind.PLACED, OutboxScenarios::playZombieRelay));
        return all;
    }

    private static Scenario row(String name, OrderKind kind, Scenario.Script script) {
        return row(
                name,
                kind,
                script,
                kind == OrderKind.ROLLED_BACK ? Expectation.of(kind).withEnd(End.NOTHING, "") : Expectation.of(kind));
    }

    private static Scenario row(String name, OrderKind kind, Scenario.Script script, Expectation expected) {
        return new Scenario("outbox: " + name, kind, script, OutboxScenarios::notApplicable, store -> expected);
    }

    private static Scenario rowOfTwo(String name, OrderKind kind, Scenario.Script script) {
        return new Scenario(
                "outbox: " + name, kind, script, OutboxScenarios::notApplicableToTwo, store -> Expectation.of(kind));
    }

    private static @Nullable String notApplicableToTwo(StoreAddress store) {
        String why = notApplicable(store);
        return why == null ? Scenarios.needsOthers(store) : why;
    }

    private static @Nullable String notApplicable(StoreAddress store) {
        if (!store.kind().isJdbc()) {
            return "no transactions of the application";
        }
        return store.transactional() ? null : "as with tx: handlers have no part in it";
    }

    // ---- crashes

    private static Scenario crash(Point point) {
        boolean committed = !point.equals(Point.before(Operation.COMMIT_PUBLICATIONS))
                && point.operation() != Operation.STORE_PUBLICATION;
        Expectation expected = Expectation.of(OrderKind.PLACED);
        return row(
                "halt " + point,
                OrderKind.PLACED,
                (stage, order) -> playCrash(stage, order, Plan.halt(point)),
                committed ? expected : expected.withEnd(End.NOTHING, ""));
    }

    /** The next process has to cope with what is left. */
    private static void playCrash(Stage stage, Order order, Plan plan) {
        Child publisher = stage.prepare(plan, order);
        Child next = stage.prepare(Plan.NONE);
        stage.go(publisher);
        stage.awaitHalted(publisher);
        stage.go(next);
        stage.awaitStarted(next);
    }

    private static Scenario relayCrash(Point point) {
        return row("relay, halt " + point, OrderKind.PLACED, (stage, order) -> {
            Child next = stage.prepare(Plan.NONE);
            Child relay = relayWith(stage, order, Plan.halt(point));
            stage.awaitHalted(relay);
            stage.go(next);
        });
    }

    /** Starts a relay that finds all publications of the order. */
    private static Child relayWith(Stage stage, Order order, Plan plan) {
        Child publisher = stage.prepare(COMMITTED, order);
        Child relay = stage.prepare(plan);
        stage.go(publisher);
        stage.awaitHalted(publisher);
        stage.go(relay);
        return relay;
    }

    private static void playRollback(Stage stage, Order order) {
        Child publisher = stage.prepare(Plan.NONE, order);
        stage.go(publisher);
        awaitPlaced(stage, publisher);
    }

    private static void awaitPlaced(Stage stage, Child publisher) {
        stage.await(
                publisher.name() + " has placed the order",
                () -> !stage.ledger().entries(publisher.name(), Kind.PLACED).isEmpty());
    }

    // ---- the database

    private static String outageFrom(Operation operation) {
        return "database down from %s on, %s ms".formatted(operation.label(), DOWN.toMillis());
    }

    private static Plan outage(Operation operation) {
        return Plan.outage(Point.before(operation), DOWN);
    }

    private static String answerLost(Operation operation) {
        return "answer lost of " + operation.label();
    }

    private static Plan blink(Operation operation) {
        return Plan.blink(Point.after(operation));
    }

    private static Scenario trouble(String name, Plan plan) {
        return row(name, OrderKind.PLACED, (stage, order) -> {
            Child publisher = stage.prepare(plan, order);
            stage.go(publisher);
            awaitPlaced(stage, publisher);
        });
    }

    private static Scenario relayTrouble(String name, Plan plan) {
        return row("relay, " + name, OrderKind.PLACED, (stage, order) -> relayWith(stage, order, plan));
    }

    // ---- two at once

    /** Two relays look at the same moment. */
    private static void playRelayTwins(Stage stage, Order order) {
        Child publisher = stage.prepare(COMMITTED, order);
        Plan plan = Plan.hold(Point.before(Operation.RELAY_LOOK));
        Child one = stage.prepare(plan);
        Child other = stage.prepare(plan);
        stage.go(publisher);
        stage.awaitHalted(publisher);
        stage.go(one);
        stage.go(other);
        stage.awaitReached(one);
        stage.awaitReached(other);
        stage.await("all is due", () -> stage.ledger().idleMillis() > DUE_MILLIS);
        stage.letGo(one);
        stage.letGo(other);
    }

    private static Scenario standstill() {
        return new Scenario(
                "outbox: a relay stands still in its claim",
                OrderKind.PLACED_IN_BULK,
                OutboxScenarios::playStandstill,
                store -> store.kind() == StoreKind.H2 && store.transactional()
                        ? "H2 counts locked rows against the limit of a query that skips them"
                        : notApplicableToTwo(store),
                store -> Expectation.of(OrderKind.PLACED_IN_BULK));
    }

    /** The rows it has locked wait, and no others. */
    private static void playStandstill(Stage stage, Order order) {
        Child other = stage.prepare(Plan.NONE);
        Child still = relayWith(stage, order, Plan.hold(Point.before(Operation.RELAY_CLAIM)));
        stage.awaitReached(still);
        stage.go(other);
        int locked = 3; // correlations, if all rows are due when it looks: it locks the first row of each
        stage.await(
                "the other relay sends what is not locked",
                () -> stage.ledger().entries(Kind.FINISHED).size()
                        >= 2 * (order.parts().size() - locked));
        stage.letGo(still);
    }

    private static void playZombiePublisher(Stage stage, Order order) {
        Child relay = stage.prepare(Plan.NONE);
        Child zombie = stage.prepare(Plan.hold(Point.before(Operation.SEND_FIRST)), order);
        stage.go(zombie);
        awaitRepeat(stage, zombie, relay, 2);
    }

    private static void playZombieRelay(Stage stage, Order order) {
        Child other = stage.prepare(Plan.NONE);
        Child zombie = relayWith(stage, order, Plan.hold(Point.before(Operation.SEND_FIRST)));
        awaitRepeat(stage, zombie, other, 1); // it notices that its claim is over
    }

    /** Freezes it until the other instance has sent both, and then lets it go on with what it was about to do. */
    private static void awaitRepeat(Stage stage, Child zombie, Child other, int repeats) {
        stage.awaitReached(zombie);
        zombie.freeze();
        stage.go(other);
        stage.await("the other instance sends both", () -> stage.arrived().size() >= 2);
        zombie.thaw();
        stage.letGo(zombie);
        stage.await("the zombie goes on", () -> stage.arrived().size() >= 2 + repeats);
    }
}
