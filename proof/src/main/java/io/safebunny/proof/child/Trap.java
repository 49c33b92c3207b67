// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.child;

import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.point.Faults;
import io.safebunny.proof.point.Operation;
import io.safebunny.proof.point.Point;
import io.safebunny.proof.trip.OpenEffects;
import io.safebunny.store.StoreUnavailableException;
import java.util.concurrent.atomic.AtomicInteger;

/** Carries out a {@link Plan}. Thread-safe. */
final class Trap implements Faults {

    private static final int KILLED = 137;

    private final Plan plan;
    private final LedgerClient ledger;
    private final JumpingTimeline timeline;
    private final OpenEffects effects;
    private final AtomicInteger passed = new AtomicInteger();
    private volatile boolean down;
    private volatile long downUntil;

    Trap(Plan plan, LedgerClient ledger, JumpingTimeline timeline, OpenEffects effects) {
        this.plan = plan;
        this.ledger = ledger;
        this.timeline = timeline;
        this.effects = effects;
    }

    @Override
    public void reached(Point point) {
        boolean canFail = point.operation().isOfStore() && point.operation() != Operation.ROLL_BACK;
        if (canFail && point.equals(Point.before(point.operation()))) {
            asksStore();
        }
        if (!plan.point().equals(point.toString()) || passed.incrementAndGet() != plan.occurrence()) {
            return;
        }
        if (plan.action() == Plan.Action.HALT) {
            effects.end();
        }
        ledger.write(Entry.Kind.REACHED, plan.point(), plan.action().name());
        switch (plan.action()) {
            case HALT -> Runtime.getRuntime().halt(KILLED);
            case HOLD -> {}
            case JUMP -> timeline.jump(plan.duration());
            case OUTAGE -> {
                downUntil = timeline.nanoTime() + plan.duration().toNanos();
                down = true;
                throw noAnswer();
            }
            case BLINK -> throw noAnswer();
        }
    }

    @Override
    public void asksStore() {
        if (down && timeline.nanoTime() - downUntil < 0) {
            throw noAnswer();
        }
    }

    private static StoreUnavailableException noAnswer() {
        return new StoreUnavailableException("The store is down for a test", null, null);
    }
}
