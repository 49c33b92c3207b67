// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The sagas of one class. Thread-safe. */
final class SagaType {

    private static final Duration UNTIL_UPGRADED = Duration.ofMinutes(1);

    private final SagaDefinition definition;
    private final SagaStates states;
    private final SagaMessages messages;
    private final Node node;

    SagaType(SagaDefinition definition, SagaMessages messages, Node node) {
        this.definition = definition;
        this.states = SagaStates.of(definition, node);
        this.messages = messages;
        this.node = node;
    }

    String name() {
        return definition.name();
    }

    SagaDefinition definition() {
        return definition;
    }

    SagaStates states() {
        return states;
    }

    SagaMessages messages() {
        return messages;
    }

    Node node() {
        return node;
    }

    /**
     * The stored saga that the message being handled on this thread belongs to; {@code null} if there is none.
     *
     * @throws NotHandledException if the store did not answer, or a newer version of SafeBunny wrote the saga
     */
    @Nullable
    SagaVisit visit() {
        Handling handling = handling(node);
        MessageRecord stored = handling.companion(SagaDocument.key(name(), sagaId(handling)));
        return stored == null
                ? null
                : new SagaVisit(
                        this, handling, stored, read(stored), node.timeline().now());
    }

    /** A new saga, started by the message being handled on this thread. */
    SagaVisit begin() {
        Handling handling = handling(node);
        Instant now = node.timeline().now(); // once: a history that begins later has lost its beginning
        return new SagaVisit(this, handling, null, SagaDocument.start(name(), sagaId(handling), now), now);
    }

    /** The message being handled on this thread. */
    static Handling handling(Node node) {
        return Objects.requireNonNull(node.current().get(), "a message of a saga is handled within its engine");
    }

    static String sagaId(Handling handling) {
        return handling.key().correlationId();
    }

    /** {@code null} if there is none that this version can read. */
    @Nullable
    SagaDocument find(String sagaId, Function<RecordKey, @Nullable MessageRecord> stored) {
        MessageRecord found = stored.apply(SagaDocument.key(name(), sagaId));
        return found == null ? null : SagaDocument.ifReadable(name(), found).orElse(null);
    }

    private SagaDocument read(MessageRecord stored) {
        try {
            return SagaDocument.read(name(), stored);
        } catch (UnreadableRecordException e) {
            throw NotHandledException.later(e.messageWithoutCode(), UNTIL_UPGRADED);
        }
    }

    /**
     * A text that says that the saga has no method for the timeout, and lists the timeouts for which it has one: the name may be misspelt.
     */
    String noMethodFor(String timeout) {
        Set<String> known = new TreeSet<>(definition.timeouts().keySet());
        return "%s has no method @OnTimeout(\"%s\"), only for %s"
                .formatted(definition.description(), Names.printable(timeout), known.isEmpty() ? "none" : known);
    }
}
