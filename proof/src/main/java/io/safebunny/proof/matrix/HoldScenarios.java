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
import java.util.ArrayList;
import java.util.List;

/**
 * Scenarios with messages that are handled in order, the first of which is set aside and holds the others, until a person replays or discards
 * it. It is set aside from the store where it is replayed, and from the queue where it is discarded.
 */
final class HoldScenarios {

    /** Of the writes after which a message waits, or the lane begins: that by which it begins after the decision. */
    private static final int BEGUN_AFTER_REPLAY = 6;

    private static final int BEGUN_AFTER_DISCARD = 4;
    /** Of the acknowledgements: after those of all that were published. */
    private static final int OF_REPLAYED = 5;

    private static final int SECOND = 2;
    /** The first one fails twice before it is replayed, and a process ends in the middle of one. */
    private static final int MOST_RUNS = 5;

    private HoldScenarios() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            replayed(all, moment);
            discarded(all, moment);
        }
        all.add(row("nothing happens", OrderKind.IN_ORDER_HELD, HoldScenarios::playAll));
        all.add(row("nothing happens", OrderKind.IN_ORDER_DISCARDED, HoldScenarios::playAll));
        return all;
    }

    private static void replayed(List<Scenario> all, Moment moment) {
        OrderKind kind = OrderKind.IN_ORDER_HELD;
        all.add(undecided("", kind, new Point(moment, Operation.MARK_POISONED, ""), 1));
        all.add(undecided("", kind, new Point(moment, Operation.SEND_POISON, ""), 1));
        all.add(undecided(": the others are held", kind, new Point(moment, Operation.STORE_STEP, ""), 1));
        all.add(decided(": the replay", kind, new Point(moment, Operation.SEND_BACK, ""), 1));
        all.add(decided("", kind, new Point(moment, Operation.COMPLETE, ""), 1));
        all.add(decided("", kind, new Point(moment, Operation.ACKNOWLEDGE, ""), OF_REPLAYED));
        all.add(decided(": the others go on", kind, new Point(moment, Operation.RELEASE, ""), BEGUN_AFTER_REPLAY));
        all.add(decided("", kind, new Point(moment, Operation.COMPLETE, ""), SECOND));
    }

    private static void discarded(List<Scenario> all, Moment moment) {
        OrderKind kind = OrderKind.IN_ORDER_DISCARDED;
        all.add(undecided("", kind, new Point(moment, Operation.MARK_POISONED, ""), 1));
        all.add(undecided("", kind, new Point(moment, Operation.SEND_POISON, ""), 1));
        all.add(undecided("", kind, new Point(moment, Operation.ACKNOWLEDGE, ""), 1));
        all.add(undecided(": the second one waits", kind, new Point(moment, Operation.RELEASE, ""), 1));
        all.add(decided(": the others are let go", kind, new Point(moment, Operation.STORE_STEP, ""), 1));
        all.add(decided(": to the archive", kind, new Point(moment, Operation.SEND_BACK, ""), 1));
        all.add(decided(": the others go on", kind, new Point(moment, Operation.RELEASE, ""), BEGUN_AFTER_DISCARD));
        all.add(decided("", kind, new Point(moment, Operation.COMPLETE, ""), 1));
    }

    /** The process ends before anybody decides. */
    private static Scenario undecided(String what, OrderKind kind, Point point, int occurrence) {
        return row(GroupScenarios.halts(kind, point, occurrence) + what, kind, (stage, order) -> {
            GroupScenarios.halted(point, occurrence).play(stage, order);
            decide(stage, order);
        });
    }

    /** The process in which a person decides ends because of that, or afterwards. */
    private static Scenario decided(String what, OrderKind kind, Point point, int occurrence) {
        return row(GroupScenarios.halts(kind, point, occurrence) + what, kind, (stage, order) -> {
            boolean isCommit =
                    point.operation() == Operation.COMPLETE && stage.address().transactional();
            Point reached = isCommit ? new Point(point.moment(), Operation.COMMIT, "") : point;
            Child deciding = stage.prepare(Plan.halt(reached, occurrence));
            Child next = stage.prepare(Plan.NONE);
            stage.go(deciding);
            stage.awaitStarted(deciding);
            order.members().forEach(stage::publish);
            decide(stage, order);
            stage.awaitHalted(deciding);
            stage.go(next);
        });
    }

    private static void playAll(Stage stage, Order order) {
        GroupScenarios.single(Plan.NONE).play(stage, order);
        decide(stage, order);
    }

    private static void decide(Stage stage, Order order) {
        stage.awaitHeld(order);
        stage.decide();
    }

    private static Scenario row(String name, OrderKind kind, Scenario.Script script) {
        String what = kind == OrderKind.IN_ORDER_HELD ? "in order, replayed: " : "in order, discarded: ";
        return LaneScenarios.row(what + name, kind, store -> script, MOST_RUNS);
    }
}
