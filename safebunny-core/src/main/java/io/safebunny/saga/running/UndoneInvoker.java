// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.MessageContext;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.message.BunnyUndone;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.UnknownSagaException;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.time.Timeline;
import java.time.Instant;

/** A participant's acknowledgement of an undo. Thread-safe. */
final class UndoneInvoker implements HandlerInvoker {

    private final SagaTypes types;
    private final String node;
    private final Timeline timeline;

    UndoneInvoker(SagaTypes types, SagaTools tools) {
        this.types = types;
        this.node = tools.node().name();
        this.timeline = tools.timeline();
    }

    @Override
    public void invoke(Object payload, MessageContext context) {
        BunnyUndone undone = (BunnyUndone) payload;
        if (!undone.saga().equals(node)) {
            return; // of another node's saga with the same participant
        }
        for (SagaType type : types.all()) {
            SagaVisit visit = type.visit();
            if (visit != null && acknowledge(type, visit, undone)) {
                return;
            }
        }
        Instant now = timeline.now();
        if (SagaTypes.mayBeDeploying(SagaTypes.firstLook(context, now), now)) {
            throw NotHandledException.byThisVersion(
                    "This instance has no saga with step %s: its acknowledgement waits for an instance that has"
                            .formatted(undone.step()));
        }
        throw new UnknownSagaException("with step " + undone.step(), context.correlationId(), context.type());
    }

    private static boolean acknowledge(SagaType type, SagaVisit visit, BunnyUndone undone) {
        for (SagaStep step : visit.saga().steps().all()) {
            if (step.messageId().equals(undone.step())) {
                if (step.status() == StepStatus.UNDOING) {
                    visit.saga().note(visit.now(), "undone: step " + step.name());
                    type.tools()
                            .compensation()
                            .undone(visit.saga(), step, StepStatus.UNDONE, visit.handling(), visit.now());
                }
                visit.save(); // in any case: what was read may be old, and then this is overtaken and runs again
                return true;
            }
        }
        return false;
    }
}
