// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.handler.SagaDefinition;
import io.safebunny.store.record.MessageRecord;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A saga whose state is written and read as between two messages: as the text that a store keeps. */
final class StoredStates {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private @Nullable MessageRecord stored;

    static SagaStates of(Type state) {
        return new SagaStates(
                new SagaDefinition("Tour", "Tour", 1, state, List.of(), Map.of(), null, new TreeMap<>(), Set.of()));
    }

    SagaDocument document() {
        return stored == null ? SagaDocument.start("Tour", "7", NOW) : SagaDocument.read("Tour", stored);
    }

    StoredStates write(Object state) {
        return write(state.getClass(), state);
    }

    StoredStates write(Type type, Object state) {
        SagaDocument document = document();
        of(type).write(document, state);
        return save(document);
    }

    StoredStates replace(Type type, String json) {
        SagaDocument document = document();
        SagaStates states = of(type);
        states.replace(document, states.parsed(json));
        return save(document);
    }

    private StoredStates save(SagaDocument document) {
        stored = document.write(stored, "owner", NOW, NOW);
        return this;
    }

    <S> S read(Class<S> type) {
        return type.cast(of(type).read(document()));
    }

    String json() {
        return document().view("shop").state();
    }
}
