// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.child.Child;
import io.safebunny.proof.child.Plan;
import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.point.Moment;
import io.safebunny.proof.point.Operation;
import io.safebunny.proof.point.Point;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.StoreKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Scenarios with messages that share a transaction. */
final class GroupScenarios {

    /** In the group, and on its own afterwards. */
    private static final int BOTH = 2;

    private GroupScenarios() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            all.add(crash(OrderKind.GROUP, new Point(moment, Operation.CLAIM_TOGETHER, ""), 1));
            all.add(crash(
                    OrderKind.GROUP, new Point(moment, Operation.SAVEPOINT, ""), BOTH)); // the first follows the claims
            all.add(crash(OrderKind.GROUP, new Point(moment, Operation.COMMIT_TOGETHER, ""), 1));
            all.add(crash(OrderKind.GROUP, new Point(moment, Operation.ACKNOWLEDGE_IN_GROUP, ""), 1));
            all.add(crash(OrderKind.GROUP, new Point(moment, Operation.ACKNOWLEDGE_IN_GROUP, ""), BOTH));
            all.add(crash(OrderKind.GROUP_WITH_POISON, new Point(moment, Operation.RETURN_TO_SAVEPOINT, ""), 1));
            all.add(crash(OrderKind.GROUP_WITH_POISON, new Point(moment, Operation.COMMIT_TOGETHER, ""), 1));
        }
        all.add(row("one of them fails", OrderKind.GROUP_WITH_POISON, single(Plan.NONE), 1));
        all.add(answerLost(OrderKind.GROUP, Operation.CLAIM_TOGETHER, 1));
        all.add(answerLost(OrderKind.GROUP, Operation.SAVEPOINT, 1));
        all.add(answerLost(OrderKind.GROUP, Operation.SAVEPOINT, BOTH));
        all.add(answerLost(OrderKind.GROUP, Operation.COMMIT_TOGETHER, 1));
        all.add(answerLost(OrderKind.GROUP_WITH_POISON, Operation.RETURN_TO_SAVEPOINT, 1));
        all.add(row("two instances, same messages at once", OrderKind.GROUP, GroupScenarios::playTwins, BOTH));
        all.add(row("zombie before commit of a group", OrderKind.GROUP, GroupScenarios::playZombie, BOTH));
        return all;
    }

    private static Scenario row(String name, OrderKind kind, Scenario.Script script, int runs) {
        return new Scenario("group: " + name, kind, script, GroupScenarios::notApplicable, store -> Expectation.of(kind)
                .withRuns(1, runs));
    }

    private static @Nullable String notApplicable(StoreAddress store) {
        if (store.kind() != StoreKind.POSTGRESQL) {
            return "messages share no transaction";
        }
        return store.transactional() ? null : "no transaction";
    }

    private static Scenario crash(OrderKind kind, Point point, int occurrence) {
        return row(halts(kind, point, occurrence), kind, halted(point, occurrence), BOTH);
    }

    /** The row's name. */
    static String halts(OrderKind kind, Point point, int occurrence) {
        return "halt " + point + number(occurrence) + (kind.hasPoison() ? ", one of them fails" : "");
    }

    /** The second process goes on once the first has been halted. */
    static Scenario.Script halted(Point point, int occurrence) {
        return (stage, order) -> {
            Child first = stage.prepare(Plan.halt(point, occurrence));
            Child next = stage.prepare(Plan.NONE);
            stage.go(first);
            stage.awaitStarted(first);
            publish(stage, order);
            stage.awaitHalted(first);
            stage.go(next);
        };
    }

    private static Scenario answerLost(OrderKind kind, Operation operation, int occurrence) {
        return row(
                "answer lost of " + operation.label() + number(occurrence),
                kind,
                single(Plan.blink(Point.after(operation), occurrence)),
                BOTH);
    }

    private static String number(int occurrence) {
        return occurrence > 1 ? ", number " + occurrence : "";
    }

    static Scenario.Script single(Plan plan) {
        return (stage, order) -> {
            stage.start(plan);
            publish(stage, order);
        };
    }

    /** The first is handled on its own, while the others arrive. */
    private static void publish(Stage stage, Order order) {
        order.members().forEach(stage::publish);
    }

    /** Each gets the same messages: the broker takes turns. */
    private static void publishTwice(Stage stage, Order order) {
        for (Order member : order.members()) {
            stage.publish(member);
            stage.publish(member);
        }
    }

    private static void playTwins(Stage stage, Order order) {
        Plan plan = Plan.hold(Point.before(Operation.CLAIM_TOGETHER));
        Child one = stage.prepare(plan);
        Child other = stage.prepare(plan);
        stage.go(one);
        stage.go(other);
        stage.awaitStarted(one);
        stage.awaitStarted(other);
        publishTwice(stage, order);
        stage.awaitReached(one);
        stage.awaitReached(other);
        stage.letGo(one);
        stage.letGo(other);
    }

    private static void playZombie(Stage stage, Order order) {
        Child zombie = stage.prepare(Plan.hold(Point.before(Operation.COMMIT_TOGETHER)));
        Child other = stage.prepare(Plan.NONE);
        stage.go(zombie);
        stage.awaitStarted(zombie);
        publish(stage, order);
        stage.awaitReached(zombie);
        zombie.freeze();
        stage.go(other);
        stage.awaitStarted(other);
        publish(stage, order);
        stage.await("the other instance meets the locks", () -> stage.deliveries(other) > BOTH);
        zombie.thaw();
        stage.letGo(zombie);
    }
}
