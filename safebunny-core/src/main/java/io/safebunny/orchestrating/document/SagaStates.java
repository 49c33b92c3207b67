// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating.document;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.serialization.JsonMessageSerializer;
import io.safebunny.spi.serialization.MessageSerializer;
import io.safebunny.spi.serialization.SerializationException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes the application's state of one kind of saga, across its versions. Thread-safe. */
public final class SagaStates {

    /** In bytes of JSON. */
    public static final int LARGEST = 256 * 1024;

    private static final MessageSerializer JSON = JsonMessageSerializer.ofResults();

    private final SagaDefinition saga;

    public SagaStates(SagaDefinition saga) {
        this.saga = saga;
    }

    /**
     * The state of a stored saga, upgraded.
     *
     * @throws NotHandledException a newer version of the application wrote it, and handles the message
     * @throws SerializationException it is not what the state's class reads
     */
    public Object read(SagaDocument stored) {
        return deserialize(upgraded(stored));
    }

    /**
     * Puts the new state into the document, with those fields of the old one that this version does not know.
     *
     * @throws InvalidMessageException {@code too-large}
     * @throws SerializationException it cannot be written as JSON
     */
    public void write(SagaDocument document, Object state) {
        ObjectNode written = tree(state);
        if (document.stateVersion() > 0) {
            ObjectNode old = upgraded(document);
            written = UnknownFields.keep(old, tree(deserialize(old)), written);
        }
        replace(document, written);
    }

    /** Like {@link #write}, with exactly this JSON, which must be readable. */
    public void replace(SagaDocument document, ObjectNode state) {
        int size = JSON.serialize(state).length;
        if (size > LARGEST) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "The state of saga %s is too large [bytes=%d]: at most %d. Keep large data elsewhere, and a reference to it in the state."
                            .formatted(saga.name(), size, LARGEST));
        }
        document.setState(saga.version(), state);
    }

    /** @throws SerializationException it is no JSON, or not what the state's class reads */
    public ObjectNode parsed(String json) {
        ObjectNode tree =
                tree(JSON.deserialize(json.getBytes(java.nio.charset.StandardCharsets.UTF_8), JsonNode.class));
        Object unused = deserialize(tree);
        return tree;
    }

    /** @throws NotHandledException a newer version of the application wrote the state */
    public void requireKnown(SagaDocument stored) {
        int version = stored.stateVersion();
        if (version > saga.version()) {
            throw NotHandledException.byThisVersion(
                    "The state of saga %s %s has version %d, and this instance knows %d: it waits for a newer one"
                            .formatted(saga.name(), stored.id(), version, saga.version()));
        }
    }

    private ObjectNode upgraded(SagaDocument stored) {
        requireKnown(stored);
        ObjectNode state = stored.state();
        for (int from = stored.stateVersion(); from < saga.version(); from++) {
            @Nullable UnaryOperator<ObjectNode> upgrade = saga.upgrades().get(from);
            if (upgrade != null) {
                state = upgrade.apply(state.deepCopy());
            }
        }
        return state;
    }

    private Object deserialize(ObjectNode tree) {
        return JSON.deserialize(JSON.serialize(tree), saga.stateType());
    }

    private ObjectNode tree(Object state) {
        Object tree = state instanceof JsonNode node ? node : JSON.deserialize(JSON.serialize(state), JsonNode.class);
        if (tree instanceof ObjectNode object) {
            return object;
        }
        throw new MisuseException(
                MisuseException.SAGA,
                "The state of saga %s is no JSON object. Use a record, or a class with properties."
                        .formatted(saga.name()));
    }
}
