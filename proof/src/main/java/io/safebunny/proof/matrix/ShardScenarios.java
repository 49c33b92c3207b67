// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.handler.Sharding;
import io.safebunny.proof.child.Child;
import io.safebunny.proof.child.Plan;
import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.point.Moment;
import io.safebunny.proof.point.Operation;
import io.safebunny.proof.point.Point;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Scenarios with messages that are handled in order and forwarded to the shard of their key, which is another one once there are more. */
final class ShardScenarios {

    private static final Sharding MORE = Sharding.into(4);
    /** With a shard that is none of those before, and nothing else. */
    private static final Sharding NEW_ONES = Sharding.parse(4, "2-3");

    private static final int SECOND = 2;
    /** Of the writes of the division: that a change begins, that a shard is drained, and, after the other one, that the change is done. */
    private static final int BEGUN = 1;

    private static final int DRAINED = 2;
    private static final int DONE = 4;

    /** Longer than between the questions by which a change goes on. */
    private static final Duration LONG = Duration.ofMillis(2_500);

    /** Two processes end in the middle of one, and it fails at first. */
    private static final int MOST_RUNS = 4;

    private ShardScenarios() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            for (int occurrence = 1; occurrence <= SECOND; occurrence++) {
                all.add(crash(new Point(moment, Operation.FORWARD, ""), occurrence));
                all.add(crash(new Point(moment, Operation.ACKNOWLEDGE, ""), occurrence));
                all.add(change("before a change", new Point(moment, Operation.SEND_MARK, ""), occurrence, NEW_ONES));
            }
            Point write = new Point(moment, Operation.WRITE_DIVISION, "");
            all.add(change("a change begins", write, BEGUN, NEW_ONES));
            all.add(change("a shard is drained", write, DRAINED, MORE));
            all.add(change("the change is done", write, DONE, MORE));
        }
        all.add(row("nothing happens", (stage, order) -> playChange(stage, order, Plan.NONE, MORE)));
        all.add(row("nobody drains the shard of before", ShardScenarios::playUndrained));
        return all;
    }

    private static Scenario crash(Point point, int occurrence) {
        return row(
                GroupScenarios.halts(OrderKind.IN_SHARDS, point, occurrence), GroupScenarios.halted(point, occurrence));
    }

    private static Scenario change(String what, Point point, int occurrence, Sharding sharding) {
        return row(
                GroupScenarios.halts(OrderKind.IN_SHARDS, point, occurrence) + ": " + what,
                (stage, order) -> playChange(stage, order, Plan.halt(point, occurrence), sharding));
    }

    private static Scenario row(String name, Scenario.Script script) {
        return LaneScenarios.row("in order, in shards: " + name, OrderKind.IN_SHARDS, store -> script, MOST_RUNS);
    }

    /**
     * The first process ends when two orders are in the shard of before, the second one while it changes the number of shards and two more
     * wait to be forwarded.
     */
    private static void playChange(Stage stage, Order order, Plan plan, Sharding sharding) {
        Child changing = prepareChange(stage, order, plan, sharding);
        if (!plan.happens()) {
            stage.go(changing);
            return;
        }
        Child next = stage.prepare(Plan.NONE, MORE);
        stage.go(changing);
        stage.awaitHalted(changing);
        stage.go(next);
    }

    /** The second process has long sent its marks, which nobody handles, and is killed. */
    private static void playUndrained(Stage stage, Order order) {
        Child changing = prepareChange(stage, order, Plan.NONE, NEW_ONES);
        Child next = stage.prepare(Plan.NONE, MORE);
        stage.go(changing);
        stage.awaitStarted(changing);
        stage.await(
                "a mark waits in a shard of before",
                () -> stage.queues().messages(stage.queues().shard(0)) > 0);
        long since = System.nanoTime();
        stage.await("the process could have gone on", () -> System.nanoTime() - since > LONG.toNanos());
        changing.close();
        stage.go(next);
    }

    private static Child prepareChange(Stage stage, Order order, Plan plan, Sharding sharding) {
        Child before = stage.prepare(Plan.halt(Point.after(Operation.FORWARD), SECOND));
        Child changing = stage.prepare(plan, sharding);
        stage.go(before);
        stage.awaitStarted(before);
        List<Order> members = order.members();
        members.subList(0, SECOND).forEach(stage::publish);
        stage.awaitHalted(before);
        members.subList(SECOND, members.size()).forEach(stage::publish);
        return changing;
    }
}
