// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.child.Plan;
import io.safebunny.proof.point.Moment;
import io.safebunny.proof.point.Operation;
import io.safebunny.proof.point.Point;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.store.StoreAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Scenarios with messages that are handled in order, the first of which fails at first, so that the others wait in the store. */
final class LaneScenarios {

    /** Of the writes after which a message waits: that of the first one, of the second, and that by which what waits is begun. */
    private static final int PARKED = 2;

    private static final int BEGUN = 5;
    /** A process ends at most once, in the middle of one. */
    private static final int MOST_RUNS = 3;

    private LaneScenarios() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            all.add(crash("the first one's failure", OrderKind.IN_ORDER, new Point(moment, Operation.RELEASE, ""), 1));
            all.add(crash(
                    "the second one waits", OrderKind.IN_ORDER, new Point(moment, Operation.RELEASE, ""), PARKED));
            all.add(crash("the lane is begun", OrderKind.IN_ORDER, new Point(moment, Operation.RELEASE, ""), BEGUN));
            for (int occurrence = 1; occurrence <= PARKED; occurrence++) {
                all.add(crash("", OrderKind.IN_ORDER, new Point(moment, Operation.ACKNOWLEDGE, ""), occurrence));
                all.add(completion(moment, occurrence));
            }
            all.add(crash("", OrderKind.IN_ORDER_WITH_POISON, new Point(moment, Operation.MARK_POISONED, ""), 1));
            all.add(crash("", OrderKind.IN_ORDER_WITH_POISON, new Point(moment, Operation.SEND_POISON, ""), 1));
        }
        all.add(row("nothing happens", OrderKind.IN_ORDER_WITH_POISON, store -> GroupScenarios.single(Plan.NONE)));
        return all;
    }

    private static Scenario crash(String what, OrderKind kind, Point point, int occurrence) {
        return row(
                GroupScenarios.halts(kind, point, occurrence) + (what.isEmpty() ? "" : ": " + what),
                kind,
                store -> GroupScenarios.halted(point, occurrence));
    }

    /** The end of what waits: of the first one, and of the second. */
    private static Scenario completion(Moment moment, int occurrence) {
        return row(
                GroupScenarios.halts(OrderKind.IN_ORDER, new Point(moment, Operation.COMPLETE, ""), occurrence),
                OrderKind.IN_ORDER,
                store -> GroupScenarios.halted(
                        new Point(moment, store.transactional() ? Operation.COMMIT : Operation.COMPLETE, ""),
                        occurrence));
    }

    private static Scenario row(String name, OrderKind kind, Function<StoreAddress, Scenario.Script> script) {
        return row("in order: " + name, kind, script, MOST_RUNS);
    }

    /** @param mostRuns of one message */
    static Scenario row(String name, OrderKind kind, Function<StoreAddress, Scenario.Script> script, int mostRuns) {
        return new Scenario(
                name,
                kind,
                (stage, order) -> script.apply(stage.address()).play(stage, order),
                store -> store.kind().isDurable() ? null : "does not survive the process",
                store -> Expectation.of(kind).withRuns(1, mostRuns));
    }
}
