// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.failure.MisuseException;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.State;
import io.safebunny.poison.PoisonRequest;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Begins operations on poison messages, has them audited, and says how far they are. Thread-safe. */
final class PoisonChanges {

    /** An answer that waits this long has the end of what concerns a few messages. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final PoisonMessages poison;
    private final Audit audit;

    PoisonChanges(PoisonMessages poison, Audit audit) {
        this.poison = poison;
        this.audit = audit;
    }

    /** On all that match. */
    Map<String, Object> begin(PoisonAction action, PoisonRequest request) {
        return OperationViews.detailed(begun(action, request));
    }

    /** On one message; {@code null} when it is not there. */
    @Nullable
    Map<String, Object> beginOne(PoisonAction action, PoisonRequest request) {
        PoisonOperation operation = begun(action, request);
        Progress progress = operation.progress();
        boolean none = progress.state() == State.ENDED && progress.matched() == 0;
        return none ? null : OperationViews.detailed(operation);
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
        try {
            operation.await(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it goes on, and so its id is what matters
        }
        return operation;
    }

    @Nullable
    Map<String, Object> edit(PoisonEdit edit) {
        try {
            PoisonOperation operation = poison.edit(edit);
            audit.begun(operation);
            return OperationViews.detailed(operation);
        } catch (MisuseException e) {
            if (poison.find(edit.messageId()).isEmpty()) {
                return null;
            }
            throw e;
        }
    }
}
