// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.StateFormat;
import io.safebunny.serialization.json.StateFormat.Reading;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes the application's state of one kind of saga, across its versions. Thread-safe. */
public final class SagaStates {

    /** In bytes of JSON. */
    public static final int LARGEST = 256 * 1024;

    private static final String RENAMED =
            "If a field was renamed, give it @JsonAlias with its old name, or the saga a new version with @Upgrade; if it was removed, name it in @JsonIgnoreProperties.";

    private final SagaDefinition saga;

    public SagaStates(SagaDefinition saga) {
        this.saga = saga;
    }

    /**
     * The state of a stored saga, upgraded.
     *
     * @throws NotHandledException another version of the application wrote it, and handles the message
     */
    public Object read(SagaDocument stored) {
        ObjectNode state = upgraded(stored);
        Reading reading;
        try {
            reading = StateFormat.read(state, saga.stateType());
        } catch (SerializationException e) { // a constant or a subclass that only a newer version has
            throw NotHandledException.byThisVersion(
                    "The state of saga %s %s is not what its class reads: %s. The message waits for an instance whose class reads it. If there is none any more, give the saga a new version with @Upgrade, or patch the state."
                            .formatted(saga.name(), stored.id(), e.messageWithoutCode()));
        }
        String renamed = RenamedFields.find(state, reading);
        if (renamed != null) {
            throw NotHandledException.byThisVersion(
                    "The state of saga %s %s has other fields than its class: %s. The message waits for an instance whose class has them. %s"
                            .formatted(saga.name(), stored.id(), renamed, RENAMED));
        }
        return reading.value();
    }

    /**
     * Puts the new state into the document, with those fields of the old one that this version does not know.
     *
     * @throws InvalidMessageException {@code too-large}
     * @throws MisuseException it cannot be written as JSON, or not be read again
     */
    public void write(SagaDocument document, Object state) {
        try {
            ObjectNode written = object(StateFormat.write(state));
            StateFormat.requireReadable(state, written, saga.stateType()); // later would be too late to find out
            if (document.stateVersion() > 0) {
                ObjectNode old = upgraded(document);
                written = UnknownFields.keep(old, StateFormat.read(old, saga.stateType()), written);
            }
            replace(document, written);
        } catch (SerializationException e) {
            throw new MisuseException(
                    MisuseException.SAGA,
                    "The state of saga %s %s cannot be stored and read again: %s. What is stored is as it was. Correct the class of the state."
                            .formatted(saga.name(), document.id(), e.messageWithoutCode()),
                    e);
        }
    }

    /** Like {@link #write}, with exactly this JSON, which must be readable. */
    public void replace(SagaDocument document, ObjectNode state) {
        int size = ExactTree.write(state).getBytes(StandardCharsets.UTF_8).length;
        if (size > LARGEST) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "The state of saga %s is too large [bytes=%s]: at most %s. Keep large data elsewhere, and a reference to it in the state."
                            .formatted(saga.name(), size, LARGEST));
        }
        document.setState(saga.version(), state);
    }

    /** @throws SerializationException it is no JSON, or not what the state's class reads */
    public ObjectNode parsed(String json) {
        Object unused = read(json, saga.stateType());
        return object(StateFormat.parse(json.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * A state by itself.
     *
     * @throws SerializationException it is no JSON, or not what the type reads, or has other fields
     */
    public static Object read(String json, Type type) {
        JsonNode tree = StateFormat.parse(json.getBytes(StandardCharsets.UTF_8));
        Reading reading = StateFormat.read(tree, type);
        String renamed = RenamedFields.find(tree, reading);
        if (renamed != null) {
            throw new SerializationException(
                    "The state has other fields than %s: %s".formatted(type.getTypeName(), renamed), null);
        }
        return reading.value();
    }

    /** @throws NotHandledException a newer version of the application wrote the state */
    public void requireKnown(SagaDocument stored) {
        int version = stored.stateVersion();
        if (version > saga.version()) {
            throw NotHandledException.byThisVersion(
                    "The state of saga %s %s has version %s, and this instance knows %s: it waits for a newer one"
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

    private ObjectNode object(JsonNode state) {
        if (state instanceof ObjectNode object) {
            return object;
        }
        throw new MisuseException(
                MisuseException.SAGA,
                "The state of saga %s is no JSON object. Use a record, or a class with properties."
                        .formatted(saga.name()));
    }
}
