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
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All rows of the matrix. */
final class Scenarios {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration BEYOND_RETENTION = Duration.ofDays(8);
    private static final long IDLE_MILLIS = 500;

    private static final List<Operation> OPERATIONS = Arrays.stream(Operation.values())
            .filter(operation -> !operation.isOfOutbox()
                    && !operation.isOfSaga()
                    && !operation.isOfGroup()
                    && !operation.isOfShards())
            .toList();
    private static final String STEP_TWICE = "step twice (declared)";
    private static final Set<Operation> ONLY_TRANSACTIONAL =
            EnumSet.of(Operation.BEGIN, Operation.COMMIT, Operation.ROLL_BACK);
    private static final Set<Operation> COMPLETIONS = EnumSet.of(Operation.COMPLETE, Operation.COMPLETE_SILENTLY);
    private static final Set<Operation> ONLY_PLAIN =
            EnumSet.of(Operation.TAKE_OVER, Operation.RENEW, Operation.SEND_BACK);

    private Scenarios() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Operation operation : OPERATIONS) {
            for (Moment moment : Moment.values()) {
                all.add(crash(new Point(moment, operation, "")));
            }
        }
        all.add(twins());
        all.add(zombie(Point.before(Operation.EFFECT), 2, STEP_TWICE));
        all.add(zombie(Point.after(Operation.HANDLE), 2, ""));
        all.add(zombie(Point.before(Operation.SEND_FIRST), 1, ""));
        all.addAll(jumps());
        for (Operation operation : OPERATIONS) {
            if (operation.isOfStore() && operation != Operation.ROLL_BACK && operation != Operation.SWEEP) {
                all.add(outage(operation));
                if (operation != Operation.BEGIN) { // beginning a transaction sends nothing to the database
                    all.add(blink(operation));
                }
            }
        }
        all.addAll(OutboxScenarios.all());
        all.addAll(TripScenarios.all());
        all.addAll(GroupScenarios.all());
        all.addAll(BatchScenarios.all());
        all.addAll(LaneScenarios.all());
        all.addAll(HoldScenarios.all());
        all.addAll(ShardScenarios.all());
        return all;
    }

    // ---- crashes

    private static Scenario crash(Point point) {
        return new Scenario(
                "halt " + point,
                kindFor(point.operation()),
                (stage, order) -> playCrash(stage, order, reached(point, stage.address())),
                store -> store.kind().isDurable()
                        ? notApplicable(point.operation(), store)
                        : "does not survive the process",
                store -> expectedAfterCrash(reached(point, store), kindFor(point.operation()), store));
    }

    /** In PostgreSQL, the commit is what completes a message that publishes nothing. */
    private static Point reached(Point point, StoreAddress store) {
        boolean isCommit = point.operation() == Operation.COMPLETE_SILENTLY
                && store.transactional()
                && store.kind() == StoreKind.POSTGRESQL;
        return isCommit ? new Point(point.moment(), Operation.COMMIT, "") : point;
    }

    private static OrderKind kindFor(Operation operation) {
        return switch (operation) {
            case CLAIM_AGAIN, RELEASE, SEND_RETRY, ROLL_BACK -> OrderKind.FAILS_ONCE;
            case MARK_POISONED, SEND_POISON -> OrderKind.FAILS_ALWAYS;
            case COMPLETE_SILENTLY -> OrderKind.SILENT;
            case RENEW -> OrderKind.SLOW;
            default -> OrderKind.PLAIN;
        };
    }

    private static @Nullable String notApplicable(Operation operation, StoreAddress store) {
        if (operation == Operation.HAND_BACK) {
            return "only after a defect of the library";
        }
        if (store.transactional() && ONLY_PLAIN.contains(operation)) {
            return "the claim is a lock of the database";
        }
        return !store.transactional() && ONLY_TRANSACTIONAL.contains(operation) ? "no transaction" : null;
    }

    private static void playCrash(Stage stage, Order order, Point point) {
        boolean sweeps = point.operation() == Operation.SWEEP;
        List<Child> children = new ArrayList<>();
        Point first = firstCrash(point.operation(), stage.address());
        if (first != null) {
            children.add(stage.prepare(Plan.halt(first)));
        }
        children.add(stage.prepare(Plan.halt(point)));
        children.add(stage.prepare(Plan.NONE));
        stage.go(children.get(0));
        stage.awaitStarted(children.get(0));
        stage.publish(order);
        for (int i = 1; i < children.size(); i++) {
            stage.awaitHalted(children.get(i - 1));
            if (sweeps && i == 1) {
                stage.loseDelivery();
            }
            stage.go(children.get(i));
        }
    }

    /** Some points are reached only by a process that finds the remains of an earlier crash. */
    private static @Nullable Point firstCrash(Operation operation, StoreAddress store) {
        return switch (operation) {
            case TAKE_OVER, SEND_BACK -> Point.after(Operation.CLAIM);
            case SWEEP -> Point.after(store.transactional() ? Operation.COMMIT : Operation.COMPLETE);
            default -> null;
        };
    }

    private static Expectation expectedAfterCrash(Point point, OrderKind kind, StoreAddress store) {
        int runs = kind.runs() + (runsAgainAfter(point, store.transactional()) ? 1 : 0);
        Expectation expected = Expectation.of(kind).withRuns(runs, runs);
        return repeatsStep(point) ? expected.withTwoCharges(STEP_TWICE) : expected;
    }

    /** Between the effect and the storing of its result, nobody else can know about it. */
    private static boolean repeatsStep(Point point) {
        return point.equals(Point.after(Operation.EFFECT)) || point.equals(Point.before(Operation.STORE_STEP));
    }

    /** Whether the handler began but its result was not stored. */
    private static boolean runsAgainAfter(Point point, boolean transactional) {
        boolean before = point.moment() == Moment.BEFORE;
        return switch (point.operation()) {
            case HANDLE, EFFECT, STORE_STEP, RENEW, ROLL_BACK -> true;
            case COMPLETE, COMPLETE_SILENTLY -> before || transactional;
            case COMMIT, RELEASE, MARK_POISONED -> before;
            default -> false;
        };
    }

    // ---- two at once

    private static Scenario twins() {
        return new Scenario(
                "two instances, same message at once",
                OrderKind.PLAIN,
                Scenarios::playTwins,
                store -> needsOthers(store),
                store -> Expectation.of(OrderKind.PLAIN));
    }

    static @Nullable String needsOthers(StoreAddress store) {
        return store.kind().isDurable() && !store.kind().isOfOneProcess() ? null : "not shared by processes";
    }

    private static void playTwins(Stage stage, Order order) {
        Plan plan = Plan.hold(Point.before(stage.address().transactional() ? Operation.BEGIN : Operation.CLAIM));
        Child one = stage.prepare(plan);
        Child other = stage.prepare(plan);
        stage.go(one);
        stage.go(other);
        stage.awaitStarted(one);
        stage.awaitStarted(other);
        stage.publishUntilDelivered(order, one);
        stage.publishUntilDelivered(order, other);
        stage.awaitReached(one);
        stage.awaitReached(other);
        stage.letGo(one);
        stage.letGo(other);
    }

    private static Scenario zombie(Point point, int runs, String declared) {
        return new Scenario(
                "zombie " + point,
                OrderKind.PLAIN,
                (stage, order) -> playZombie(stage, order, point),
                store -> needsOthers(store),
                store -> {
                    Expectation expected = Expectation.of(OrderKind.PLAIN);
                    if (store.transactional()) { // nobody gets past its lock
                        return expected;
                    }
                    expected = expected.withRuns(runs, runs);
                    return declared.isEmpty() ? expected : expected.withTwoCharges(declared);
                });
    }

    private static void playZombie(Stage stage, Order order, Point point) {
        Child zombie = stage.prepare(Plan.hold(point));
        Child other = stage.prepare(Plan.NONE);
        stage.go(zombie);
        stage.awaitStarted(zombie);
        stage.publish(order);
        stage.awaitReached(zombie);
        zombie.freeze();
        stage.go(other);
        stage.awaitStarted(other);
        stage.publishUntilDelivered(order, other);
        stage.await("the other instance goes on, or waits for the lock", () -> {
            if (stage.ledger().idleMillis() > IDLE_MILLIS) { // a frozen process keeps the messages delivered to it
                stage.publish(order);
            }
            return stage.ledger().entries(Kind.FINISHED).size() == 2
                    || (stage.address().transactional() && stage.deliveries(other) > 1);
        });
        zombie.thaw();
        stage.letGo(zombie);
    }

    // ---- clocks

    private static List<Scenario> jumps() {
        return List.of(
                jump("1 h forward", HOUR, OrderKind.FAILS_ONCE, Expectation.of(OrderKind.FAILS_ONCE)),
                jump("1 h back", HOUR.negated(), OrderKind.FAILS_ONCE, Expectation.of(OrderKind.FAILS_ONCE)),
                jump("8 days forward", BEYOND_RETENTION, OrderKind.PLAIN, Expectation.of(OrderKind.PLAIN)),
                jump(
                        "8 days back",
                        BEYOND_RETENTION.negated(),
                        OrderKind.PLAIN,
                        Expectation.of(OrderKind.PLAIN)
                                .withEnd(End.POISONED_AT_DESK, "receivers set aside as too old (declared)")),
                jump(
                        "8 days forward, then a retry",
                        BEYOND_RETENTION,
                        OrderKind.FAILS_ONCE,
                        Expectation.of(OrderKind.FAILS_ONCE)
                                .withRuns(1, 1)
                                .withEnd(End.POISONED, "set aside as too old (declared)")));
    }

    private static Scenario jump(String name, Duration by, OrderKind kind, Expectation expected) {
        return new Scenario(
                "clock jumps " + name,
                kind,
                single(Plan.jump(Point.before(Operation.HANDLE), by)),
                store -> null,
                store -> expected);
    }

    private static Scenario.Script single(Plan plan) {
        return (stage, order) -> {
            stage.start(plan);
            stage.publish(order);
        };
    }

    // ---- the store

    private static Scenario outage(Operation operation) {
        OrderKind kind = kindForTrouble(operation);
        return new Scenario(
                "store down from %s on, two leases".formatted(operation.label()),
                kind,
                (stage, order) -> playTrouble(
                        stage,
                        order,
                        Plan.outage(
                                reached(Point.before(operation), stage.address()),
                                stage.address().kind().lease().multipliedBy(2))),
                store -> notApplicableInTrouble(operation, store),
                store -> {
                    Expectation expected = Expectation.of(kind).withRuns(kind.runs(), kind.runs() + 1);
                    return switch (operation) {
                        case STORE_STEP -> expected.withTwoCharges(STEP_TWICE);
                        case MARK_POISONED -> expected.withUnfinishedRecord("set aside without a mark (declared)");
                        default -> expected;
                    };
                });
    }

    private static Scenario blink(Operation operation) {
        OrderKind kind = kindForTrouble(operation);
        return new Scenario(
                "answer lost of " + operation.label(),
                kind,
                (stage, order) ->
                        playTrouble(stage, order, Plan.blink(reached(Point.after(operation), stage.address()))),
                store -> notApplicableInTrouble(operation, store),
                store -> {
                    Expectation expected = Expectation.of(kind).withRuns(kind.runs(), kind.runs() + 1);
                    return store.transactional() && COMPLETIONS.contains(operation)
                            ? expected.withAnotherAttempt("counted as an attempt (declared)")
                            : expected;
                });
    }

    private static OrderKind kindForTrouble(Operation operation) {
        return operation == Operation.TAKE_OVER ? OrderKind.PLAIN : kindFor(operation);
    }

    private static @Nullable String notApplicableInTrouble(Operation operation, StoreAddress store) {
        if (operation == Operation.TAKE_OVER && store.kind() == StoreKind.MEMORY) {
            return "does not survive the process";
        }
        return notApplicable(operation, store);
    }

    private static void playTrouble(Stage stage, Order order, Plan plan) {
        if (!plan.point().contains(Operation.TAKE_OVER.label())) {
            single(plan).play(stage, order);
            return;
        }
        Child silent = stage.prepare(Plan.halt(Point.after(Operation.CLAIM)));
        Child troubled = stage.prepare(plan);
        stage.go(silent);
        stage.awaitStarted(silent);
        stage.publish(order);
        stage.awaitHalted(silent);
        stage.go(troubled);
    }
}
