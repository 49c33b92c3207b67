// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.handling.Handling;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStep;
import io.safebunny.saga.document.SagaStep.Sending;
import java.time.Instant;
import java.util.List;

/** Undoes the steps of a saga that has failed: the last one first, each when the one after it is acknowledged. Thread-safe. */
final class Compensation {

    private final SagaMessages messages;

    Compensation(SagaMessages messages) {
        this.messages = messages;
    }

    void begin(SagaDocument saga, String reason, Handling handling, Instant now) {
        saga.become(SagaStatus.COMPENSATING);
        saga.setReason(reason);
        saga.timeouts().clear();
        saga.blocks().clear();
        saga.note(now, "failed: " + reason);
        saga.steps().all().stream()
                .filter(step -> step.undo() == null)
                .forEach(step -> saga.note(now, "nothing to undo for step " + step.name()));
        goOn(saga, handling, now);
    }

    /** Sends the next undo, unless one is not acknowledged yet; after the last one the saga has failed. */
    void goOn(SagaDocument saga, Handling handling, Instant now) {
        List<SagaStep> steps = saga.steps().all();
        for (int i = steps.size() - 1; i >= 0; i--) {
            SagaStep step = steps.get(i);
            if (step.status() == StepStatus.UNDOING) {
                return;
            }
            Sending undo = step.undoing(now).undoSending();
            if (step.isToUndo() && undo != null) {
                saga.steps().put(step.undoing(now));
                saga.note(now, "undoing step " + step.name());
                handling.collect(SagaMessages.sent(undo));
                return;
            }
        }
        saga.become(SagaStatus.FAILED);
        saga.blocks().clear();
        saga.note(now, "ended, nothing is left to undo");
        messages.failed(saga, handling);
    }

    /**
     * Sends the undo again that is not acknowledged: the same message, as old as it was, so it is not carried out twice.
     *
     * @return whether there is one
     */
    boolean sendAgain(SagaDocument saga, Handling handling, Instant now) {
        for (SagaStep step : saga.steps().all()) {
            Sending undo = step.undoSending();
            if (step.status() == StepStatus.UNDOING && undo != null) {
                saga.note(now, "undoing step " + step.name());
                handling.collect(SagaMessages.sentAgain(undo, now, 0));
                return true;
            }
        }
        return false;
    }

    /** The step is undone, or need not be. */
    void undone(SagaDocument saga, SagaStep step, StepStatus how, Handling handling, Instant now) {
        saga.steps().put(step.with(how));
        if (saga.status() == SagaStatus.COMPENSATION_FAILED) {
            saga.become(SagaStatus.COMPENSATING);
        }
        if (step.undo() != null) {
            saga.blocks().remove(String.valueOf(step.undo().message().messageId()));
        }
        saga.blocks().removeOfType(SagaMessages.UNDONE); // there is one acknowledgement at a time
        goOn(saga, handling, now);
    }
}
