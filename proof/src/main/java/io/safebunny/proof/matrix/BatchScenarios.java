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
import org.jspecify.annotations.Nullable;

/** Scenarios with messages of which one call of the handler takes several. */
final class BatchScenarios {

    /** In a batch, its half, and on its own; and again on its own after the process has ended. */
    private static final int MOST_RUNS = 4;

    private BatchScenarios() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            all.add(crash(OrderKind.BATCH, new Point(moment, Operation.CLAIM_TOGETHER, ""), 1));
            all.add(crash(OrderKind.BATCH, new Point(moment, Operation.COMMIT, ""), 1));
            all.add(crash(OrderKind.BATCH, new Point(moment, Operation.COMMIT, ""), 2)); // the first is handled alone
            all.add(crash(OrderKind.BATCH, new Point(moment, Operation.ACKNOWLEDGE_IN_GROUP, ""), 1));
            all.add(crash(OrderKind.BATCH, new Point(moment, Operation.ACKNOWLEDGE_IN_GROUP, ""), 2));
            all.add(crash(OrderKind.BATCH_WITH_POISON, new Point(moment, Operation.ROLL_BACK, ""), 1));
            all.add(crash(OrderKind.BATCH_WITH_POISON, new Point(moment, Operation.COMMIT, ""), 3));
        }
        all.add(row("one of them fails", OrderKind.BATCH_WITH_POISON, GroupScenarios.single(Plan.NONE)));
        for (Operation operation : List.of(Operation.CLAIM_TOGETHER, Operation.COMMIT)) {
            all.add(row(
                    "answer lost of " + operation.label(),
                    OrderKind.BATCH,
                    GroupScenarios.single(Plan.blink(Point.after(operation)))));
        }
        return all;
    }

    private static Scenario row(String name, OrderKind kind, Scenario.Script script) {
        return new Scenario("batch: " + name, kind, script, BatchScenarios::notApplicable, store -> Expectation.of(kind)
                .withRuns(1, MOST_RUNS));
    }

    private static @Nullable String notApplicable(StoreAddress store) {
        return store.transactional() ? null : "no transaction";
    }

    private static Scenario crash(OrderKind kind, Point point, int occurrence) {
        return row(GroupScenarios.halts(kind, point, occurrence), kind, GroupScenarios.halted(point, occurrence));
    }
}
