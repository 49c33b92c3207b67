// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.MessageContext;
import io.safebunny.handler.SagaMethod;
import io.safebunny.handling.Handling;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.BunnyRepair;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import io.safebunny.store.record.MessageRecord;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message being handled by its saga: the stored saga, the changes by the message, and the write of the saga, which joins that of the
 * message's record. Confined to one thread.
 */
final class SagaVisit {

    private final SagaType type;
    private final Handling handling;
    private final @Nullable MessageRecord stored;
    private final SagaDocument saga;
    private final SagaStatus before;
    private final Instant now;
    private int timeoutsArmed;

    /** @param stored {@code null} for a new saga */
    SagaVisit(SagaType type, Handling handling, @Nullable MessageRecord stored, SagaDocument saga, Instant now) {
        this.type = type;
        this.handling = handling;
        this.stored = stored;
        this.saga = saga;
        this.before = saga.status();
        this.now = now;
    }

    SagaType type() {
        return type;
    }

    SagaDocument saga() {
        return saga;
    }

    Handling handling() {
        return handling;
    }

    /** The time of the visit: the same for everything that the message does. */
    Instant now() {
        return now;
    }

    /** Adds an event to the saga's history. */
    void note(String what) {
        saga.note(now, what);
    }

    /** Adds what comes of the repair that is being handled to the saga's history. */
    void note(BunnyRepair repair, String what) {
        saga.noteRepair(now, what, handling.message().id(), repair.by());
    }

    /** Sends a new alarm for the timeout. An earlier one becomes stale. */
    void arm(String name, Instant due) {
        Timeout armed = Timeout.due(
                type.messages().timeoutToken(saga, name, handling.message().id(), ++timeoutsArmed), due, now);
        saga.timeouts().put(name, armed);
        handling.collect(type.messages().alarm(saga.saga(), saga.id(), name, armed, now));
    }

    /**
     * Makes a stuck saga active again. Sends again what it may have missed while it was stuck: alarms of timeouts, and news of messages
     * that were set aside.
     */
    void goOn() {
        saga.unstick();
        String cause = handling.message().id();
        saga.blocks().untold().stream()
                .filter(block -> type.definition().blocked(block.message().reason()) != null)
                .forEach(block -> handling.collect(type.messages().poisonedAgain(block, cause, saga.id(), now)));
        saga.timeouts().all().forEach((name, timeout) -> {
            if (!timeout.wakesAt().isAfter(now)
                    && !timeout.token().equals(handling.message().id())) {
                arm(name, timeout.due());
            }
        });
    }

    /** Whether nobody can read the state any more. */
    boolean isErased() {
        return stored != null && type.states().isErased(saga);
    }

    /** Calls a method of the application with the state, and keeps the state that it returns. */
    void run(SagaMethod method, @Nullable Object payload, MessageContext context, @Nullable BlockedOn blockedOn)
            throws Exception {
        Object state = stored == null ? null : type.states().read(saga);
        SagaRun run = new SagaRun(this);
        Object after;
        try {
            after = method.invoke(payload, context, state, run, blockedOn);
        } finally {
            run.end();
        }
        run.requireWhole();
        if (after != null) {
            type.states().write(saga, after);
        }
    }

    /** Makes what was noted part of the write that completes the message, which has changed nothing else of the saga. */
    void saveNotes() {
        handling.join(saga.noted(
                Objects.requireNonNull(stored, "a new saga is changed"),
                handling.message().id()));
    }

    /** Makes the saga part of the write that completes the message. */
    void save() {
        Instant retainedUntil = now.plus(type.node().options().sagaRetention());
        handling.join(saga.write(stored, handling.message().id(), now, retainedUntil));
        if (stored == null || saga.status() != before) {
            handling.whenWritten(() -> SagaLog.became(type.node(), saga));
        }
    }
}
