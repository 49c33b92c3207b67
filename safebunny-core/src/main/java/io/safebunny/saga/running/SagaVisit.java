// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.MessageContext;
import io.safebunny.handler.SagaMethod;
import io.safebunny.handling.Handling;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.MessageRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A message at its saga: what is stored, what the message makes of it, and the write that is joined to the message's. Confined to one thread. */
final class SagaVisit {

    private final SagaType type;
    private final Handling handling;
    private final @Nullable MessageRecord stored;
    private final SagaDocument saga;
    private final SagaStatus before;
    private final Instant now;
    private final SagaRun run;

    /** @param stored {@code null} for a new saga */
    SagaVisit(SagaType type, Handling handling, @Nullable MessageRecord stored, SagaDocument saga, Instant now) {
        this.type = type;
        this.handling = handling;
        this.stored = stored;
        this.saga = saga;
        this.before = saga.status();
        this.now = now;
        this.run = new SagaRun(
                type.definition(), saga, type.tools().messages(), type.tools().compensation(), handling, now);
    }

    SagaDocument saga() {
        return saga;
    }

    Handling handling() {
        return handling;
    }

    Instant now() {
        return now;
    }

    /** Sends the message of a timeout anew, which is not over, or whose message came while the saga was stuck. */
    void arm(String name, Instant due) {
        run.arm(name, due);
    }

    /** A stuck saga goes on, and so do its timeouts, whose messages may have come meanwhile, and the news of what was set aside. */
    void goOn() {
        saga.unstick();
        if (type.definition().poisoned() != null) {
            String cause = handling.message().id();
            saga.blocks()
                    .untold()
                    .forEach(block ->
                            handling.collect(type.tools().messages().poisonedAgain(block, cause, saga.id(), now)));
        }
        saga.timeouts().all().forEach((name, timeout) -> {
            if (!timeout.wakesAt().isAfter(now)
                    && !timeout.token().equals(handling.message().id())) {
                arm(name, timeout.due());
            }
        });
    }

    /** Runs a method of the application on the saga. */
    void run(SagaMethod method, @Nullable Object payload, MessageContext context, @Nullable BlockedOn blockedOn)
            throws Exception {
        Object state = stored == null ? null : type.states().read(saga);
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

    /** To be written with the completion of the message. */
    void save() {
        handling.join(saga.write(
                stored,
                handling.message().id(),
                now,
                now.plus(type.tools().node().options().sagaRetention())));
        SagaStatus after = saga.status();
        if (stored == null || after != before) {
            handling.whenWritten(() -> type.tools().metrics().sagaBecame(type.name(), after.name()));
        }
    }
}
