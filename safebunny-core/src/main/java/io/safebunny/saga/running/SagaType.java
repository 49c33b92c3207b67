// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.handler.SagaDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.UnreadableRecordException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One kind of saga at work. Thread-safe. */
final class SagaType {

    private static final Duration UNTIL_UPGRADED = Duration.ofMinutes(1);

    private final SagaDefinition definition;
    private final SagaStates states;
    private final SagaTools tools;

    SagaType(SagaDefinition definition, SagaTools tools) {
        this.definition = definition;
        this.states = new SagaStates(definition);
        this.tools = tools;
    }

    SagaDefinition definition() {
        return definition;
    }

    SagaStates states() {
        return states;
    }

    SagaTools tools() {
        return tools;
    }

    String name() {
        return definition.name();
    }

    /**
     * The saga to which the message belongs that this thread is handling; {@code null} if there is none.
     *
     * @throws NotHandledException the store did not answer, or a newer version of SafeBunny wrote it
     */
    @Nullable
    SagaVisit visit() {
        Handling handling = tools.handling();
        MessageRecord stored = handling.companion(SagaDocument.key(name(), sagaId(handling)));
        return stored == null
                ? null
                : new SagaVisit(
                        this, handling, stored, read(stored), tools.timeline().now());
    }

    /** A new saga, begun by the message that this thread is handling. */
    SagaVisit begin() {
        Handling handling = tools.handling();
        SagaDocument saga =
                SagaDocument.start(name(), sagaId(handling), tools.timeline().now());
        return new SagaVisit(this, handling, null, saga, tools.timeline().now());
    }

    static String sagaId(Handling handling) {
        return handling.key().correlationId();
    }

    private SagaDocument read(MessageRecord stored) {
        try {
            return SagaDocument.read(name(), stored);
        } catch (UnreadableRecordException e) {
            throw NotHandledException.later(e.messageWithoutCode(), UNTIL_UPGRADED);
        }
    }
}
