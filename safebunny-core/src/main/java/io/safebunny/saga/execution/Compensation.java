// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaHistory.Failed;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.saga.document.SagaStep.Sending;
import java.util.List;

/** Undoes the steps of a failed saga, the last one first. Each waits until the previous undo is acknowledged. Confined to one thread. */
final class Compensation {

    private final SagaVisit visit;
    private final SagaDocument saga;

    Compensation(SagaVisit visit) {
        this.visit = visit;
        this.saga = visit.saga();
    }

    void begin(String reason) {
        saga.become(SagaStatus.COMPENSATING);
        saga.setReason(reason);
        saga.timeouts().clear();
        saga.blocks().clear();
        visit.note(new Failed(reason).words());
        saga.steps().all().stream()
                .filter(step -> step.undo() == null)
                .forEach(step -> visit.note("nothing to undo for step " + step.name()));
        goOn();
    }

    /** Sends the next undo, unless one is still waiting for its acknowledgement. After the last one the saga has failed. */
    private void goOn() {
        List<SagaStep> steps = saga.steps().all();
        for (int i = steps.size() - 1; i >= 0; i--) {
            SagaStep step = steps.get(i);
            if (step.status() == StepStatus.UNDOING) {
                return;
            }
            SagaStep undoing = step.undoing(visit.now());
            Sending undo = undoing.undoSending();
            if (step.isToUndo() && undo != null) {
                saga.steps().put(undoing);
                visit.note("undoing step " + step.name());
                visit.handling().collect(SagaMessages.sent(undo));
                return;
            }
        }
        saga.become(SagaStatus.FAILED);
        saga.blocks().clear();
        visit.note("ended, nothing is left to undo");
        visit.type().messages().failed(saga, visit.handling());
    }

    /**
     * Sends the unacknowledged undo again: the same message with its original age, so that it is not carried out twice.
     *
     * @return whether there was one
     */
    boolean sendAgain() {
        for (SagaStep step : saga.steps().all()) {
            Sending undo = step.undoSending();
            if (step.status() == StepStatus.UNDOING && undo != null) {
                visit.note("undoing step " + step.name());
                visit.handling().collect(SagaMessages.sentAgain(undo, visit.now(), 0));
                return true;
            }
        }
        return false;
    }

    /**
     * Ends the compensation of this step, and continues with the step before it.
     *
     * @param how {@code UNDONE}, or {@code SKIPPED} if an operator decided that the step need not be undone
     */
    void undone(SagaStep step, StepStatus how) {
        saga.steps().put(step.with(how));
        if (saga.status() == SagaStatus.COMPENSATION_FAILED) {
            saga.become(SagaStatus.COMPENSATING);
        }
        if (step.undo() != null) {
            saga.blocks().remove(String.valueOf(step.undo().message().messageId()));
        }
        saga.blocks().removeOfType(SagaMessages.UNDONE); // only one acknowledgement is awaited at a time
        goOn();
    }
}
