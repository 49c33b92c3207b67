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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of sagas with state. */
final class TripScenarios {

    private static final String START = "Order";
    private static final String LATER = "DoneA";
    private static final String LAST = "DoneB";
    private static final String TIMEOUT = "BunnyTimeout";
    private static final String UNDO = "UndoB";
    private static final String UNDONE = "BunnyUndone";
    private static final String SCHEDULED = "BunnyScheduled";
    private static final String REPAIR = "BunnyRepair";

    private TripScenarios() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        // the saga begins, and goes on
        add(all, OrderKind.SAGA_COMPLETES, START, Operation.CLAIM, Operation.COMPLETE, Operation.COMMIT);
        add(all, OrderKind.SAGA_COMPLETES, START, Operation.ACKNOWLEDGE);
        add(all, OrderKind.SAGA_COMPLETES, "StepA", Operation.SEND);
        add(all, OrderKind.SAGA_LATE, TIMEOUT, Operation.SEND);
        add(all, OrderKind.SAGA_COMPLETES, LATER, Operation.COMPLETE, Operation.COMMIT);
        add(all, OrderKind.SAGA_COMPLETES, "StepB", Operation.SEND);
        add(all, OrderKind.SAGA_COMPLETES, LAST, Operation.COMPLETE_SILENTLY, Operation.COMMIT);
        // a timeout, and what fails
        add(all, OrderKind.SAGA_LATE, TIMEOUT, Operation.CLAIM, Operation.COMPLETE, Operation.COMMIT);
        add(all, OrderKind.SAGA_FAILS, LAST, Operation.COMPLETE, Operation.COMMIT);
        // undos: sent, barred, run, acknowledged, the next one
        add(all, OrderKind.SAGA_FAILS, UNDO, Operation.SEND, Operation.CLAIM, Operation.COMPLETE, Operation.COMMIT);
        add(all, OrderKind.SAGA_BARRED, UNDO, Operation.BAR);
        add(all, OrderKind.SAGA_FAILS, UNDONE, Operation.SEND, Operation.COMPLETE, Operation.COMMIT);
        add(all, OrderKind.SAGA_FAILS, "UndoA", Operation.SEND);
        add(all, OrderKind.SAGA_FAILS, "SagaFailed", Operation.SEND);
        // a message that is set aside, and the repair
        add(all, OrderKind.SAGA_STUCK, LAST, Operation.MARK_POISONED, Operation.SEND_POISON);
        add(all, OrderKind.SAGA_STUCK, REPAIR, Operation.SEND, Operation.COMPLETE, Operation.COMMIT);
        // a scheduled message: on its way to the store, taken into it, published when its alarm comes
        add(all, OrderKind.SAGA_SCHEDULES, SCHEDULED, Operation.SEND, Operation.COMPLETE, Operation.COMMIT);
        addOfAlarm(all, Operation.SEND, Operation.COMPLETE, Operation.COMMIT, Operation.ACKNOWLEDGE);
        add(all, OrderKind.SAGA_SCHEDULES, LATER, Operation.SEND);
        return all;
    }

    private static void add(List<Scenario> all, OrderKind kind, String type, Operation... operations) {
        for (Operation operation : operations) {
            for (Moment moment : Moment.values()) {
                all.add(crash(kind, new Point(moment, operation, type)));
            }
        }
    }

    /** The first message of this type brings a scheduled one to the store, the second is its alarm. */
    private static void addOfAlarm(List<Scenario> all, Operation... operations) {
        for (Operation operation : operations) {
            for (Moment moment : Moment.values()) {
                Point point = new Point(moment, operation, SCHEDULED);
                all.add(crash("saga: halt %s, its alarm".formatted(point), OrderKind.SAGA_SCHEDULES, point, 2));
            }
        }
    }

    private static Scenario crash(OrderKind kind, Point point) {
        String what = kind == OrderKind.SAGA_FAILS && point.type().equals(LAST)
                ? ", which fails it"
                : kind == OrderKind.SAGA_SCHEDULES && point.type().equals(LATER) ? ", scheduled" : "";
        return crash("saga: halt " + point + what, kind, point, 1);
    }

    private static Scenario crash(String name, OrderKind kind, Point point, int occurrence) {
        return new Scenario(
                name,
                kind,
                (stage, order) -> play(stage, order, Plan.halt(point, occurrence)),
                store -> notApplicable(point.operation(), store),
                store -> Expectation.of(kind));
    }

    private static @Nullable String notApplicable(Operation operation, StoreAddress store) {
        if (!store.kind().isDurable()) {
            return "does not survive the process";
        }
        return operation == Operation.COMMIT && !store.transactional() ? "no transaction" : null;
    }

    private static void play(Stage stage, Order order, Plan plan) {
        Child halted = stage.prepare(plan);
        Child next = stage.prepare(Plan.NONE);
        stage.go(halted);
        stage.awaitStarted(halted);
        stage.publish(order);
        stage.awaitHalted(halted);
        stage.go(next);
    }
}
