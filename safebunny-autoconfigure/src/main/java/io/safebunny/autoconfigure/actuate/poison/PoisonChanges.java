// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.poison.EditFailedException;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Starts operations on poison messages, audits them, and reports their progress. Thread-safe. */
final class PoisonChanges {

    /**
     * How long a response waits for an operation on one message. Must be longer than the operation itself waits for copies that others may
     * hold: otherwise it could never answer that the message does not exist.
     */
    private static final Duration PATIENCE_FOR_ONE = Duration.ofSeconds(5);

    private final PoisonMessages poison;
    private final PoisonAudit audit;

    PoisonChanges(PoisonMessages poison, PoisonAudit audit) {
        this.poison = poison;
        this.audit = audit;
    }

    /**
     * Moves all messages that match.
     *
     * @return its progress, or the problem if it has already failed
     */
    Object begin(PoisonAction action, PoisonRequest request) {
        PoisonOperation operation = begun(action, request);
        OperationViews.awaitEnd(operation);
        return answer(operation);
    }

    /** Moves one message; {@code null} if it is not in the queue. */
    @Nullable
    Object beginOne(PoisonAction action, PoisonRequest request) {
        PoisonOperation operation = begun(action, request);
        OperationViews.awaitEnd(operation, PATIENCE_FOR_ONE);
        Progress progress = operation.progress();
        return progress.state() == RunState.ENDED && progress.matched() == 0 ? null : answer(operation);
    }

    private static Object answer(PoisonOperation operation) {
        return operation.progress().state() == RunState.FAILED
                ? Answers.failed(operation)
                : OperationViews.begun(operation);
    }

    private PoisonOperation begun(PoisonAction action, PoisonRequest request) {
        PoisonOperation operation =
                switch (action) {
                    case REPLAY -> poison.replay(request);
                    case DISCARD -> poison.discard(request);
                    case RESTORE -> poison.restore(request);
                    case EDIT -> throw Asked.wrong("action", "edit", "it is for one copy, and has a body");
                };
        audit.begun(operation);
        return operation;
    }

    /** @return what was done, or the problem */
    Object edit(PoisonEdit edit) {
        try {
            PoisonOperation operation = poison.edit(edit);
            audit.edited(edit, operation);
            return OperationViews.detailed(operation);
        } catch (EditFailedException e) {
            audit.notEdited(edit, e.operation(), e);
            return Answers.problem(e, e.operation());
        } catch (RuntimeException e) { // no operation was started
            audit.notEdited(edit, null, e);
            throw e;
        }
    }
}
