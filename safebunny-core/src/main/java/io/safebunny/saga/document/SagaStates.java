// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handling.Sealing;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.node.Node;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.StateFormat;
import io.safebunny.serialization.json.StateFormat.Reading;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Reads and writes the application's state of one saga class, across its versions. Thread-safe. */
public final class SagaStates {

    /** Limit in bytes of JSON. */
    public static final int LARGEST = 256 * 1024;

    private static final String RENAMED =
            "If a field was renamed, add @JsonAlias with its old name, or raise the saga's version and add an @Upgrade; if it was removed, add it to @JsonIgnoreProperties.";

    private final SagaDefinition saga;
    /** {@code null} if states are stored in clear. */
    private final @Nullable StateSealing sealing;

    /** In clear. */
    SagaStates(SagaDefinition saga) {
        this(saga, null);
    }

    private SagaStates(SagaDefinition saga, @Nullable StateSealing sealing) {
        this.saga = saga;
        this.sealing = sealing;
    }

    /** Encrypted, if the saga's class or that of its state is marked. */
    public static SagaStates of(SagaDefinition saga, Node node) {
        return new SagaStates(saga, StateSealing.of(saga, node));
    }

    /** Whether states are encrypted. */
    public boolean areEncrypted() {
        return sealing != null;
    }

    /**
     * Whether nobody can read the state of a stored saga any more.
     *
     * @throws NotHandledException if that cannot be known at the moment
     */
    public boolean isErased(SagaDocument stored) {
        String sealed = sealing == null ? null : stored.sealedState();
        if (sealing == null || sealed == null) {
            return false;
        }
        try {
            String unused = sealing.opened(stored, sealed);
            return false;
        } catch (SubjectErasedException e) {
            return true;
        }
    }

    /**
     * The state of a stored saga, upgraded.
     *
     * @throws NotHandledException if another version of the application wrote it and must handle the message, or the keys of its state cannot
     *     be had at the moment
     * @throws UnknownKeyException if the key of its state is missing
     * @throws SubjectErasedException if the person was erased whom its state is about
     * @throws InvalidMessageException {@code undecryptable} or {@code not-encrypted}: its state is not what this saga has stored
     */
    public Object read(SagaDocument stored) {
        ObjectNode state = upgraded(stored);
        Reading reading;
        try {
            reading = StateFormat.read(state, saga.stateType());
        } catch (SerializationException e) {
            // for example, the state has an enum constant or a subclass that only a newer version has
            throw NotHandledException.byThisVersion(
                    "The state of saga %s %s cannot be read by its class: %s. The message waits for an instance whose class can read it. If there is none any more, raise the saga's version and add an @Upgrade, or patch the state."
                            .formatted(saga.name(), stored.id(), e.messageWithoutCode()));
        }
        String renamed = UnknownFields.renamed(state, reading);
        if (renamed != null) {
            throw NotHandledException.byThisVersion(
                    "The state of saga %s %s has other fields than its class: %s. The message waits for an instance whose class has them. %s"
                            .formatted(saga.name(), stored.id(), renamed, RENAMED));
        }
        return reading.value();
    }

    /**
     * Puts the new state into the document and keeps the old state's fields that this version does not know.
     *
     * @throws InvalidMessageException {@code too-large}
     * @throws NotHandledException if the keys of its state cannot be had at the moment
     * @throws UnknownKeyException if there is no key with which its state can be encrypted
     * @throws MisuseException if it cannot be written as JSON or read back
     */
    public void write(SagaDocument document, Object state) {
        try {
            ObjectNode written = object(StateFormat.write(state));
            // checked now, because when the next message fails to read the state, it is too late
            StateFormat.requireReadable(state, written, saga.stateType());
            if (document.stateVersion() > 0) {
                ObjectNode old = upgraded(document);
                written = UnknownFields.keep(old, StateFormat.read(old, saga.stateType()), written);
            }
            replace(document, written, () -> state);
        } catch (SerializationException e) {
            throw new MisuseException(
                    MisuseException.SAGA,
                    "The state of saga %s %s cannot be stored and read back: %s. The stored state is unchanged. Correct the class of the state."
                            .formatted(saga.name(), document.id(), e.messageWithoutCode()),
                    e);
        }
    }

    /** Replaces the state with exactly this JSON, which must be readable. */
    public void replace(SagaDocument document, ObjectNode state) {
        replace(document, state, () -> StateFormat.read(state, saga.stateType()).value());
    }

    private void replace(SagaDocument document, ObjectNode state, Supplier<Object> read) {
        String json = ExactTree.write(state);
        int size = json.getBytes(StandardCharsets.UTF_8).length;
        if (size > LARGEST) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "The state of saga %s is too large [bytes=%s]: it must have at most %s. Keep large data elsewhere, and a reference to it in the state."
                            .formatted(saga.name(), size, LARGEST));
        }
        document.setState(
                saga.version(),
                sealing == null ? state : StringNode.valueOf(sealing.sealed(document, saga.version(), json, read)));
    }

    /** @throws SerializationException if it is not JSON, or the state's class cannot be read from it */
    public ObjectNode parsed(String json) {
        Object unused = read(json, saga.stateType());
        return object(StateFormat.parse(json.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Reads a state that does not belong to a stored saga.
     *
     * @throws SerializationException if it is not JSON, the type cannot be read from it, or it has other fields
     */
    public static Object read(String json, Type type) {
        JsonNode tree = StateFormat.parse(json.getBytes(StandardCharsets.UTF_8));
        Reading reading = StateFormat.read(tree, type);
        String renamed = UnknownFields.renamed(tree, reading);
        if (renamed != null) {
            throw new SerializationException(
                    "The state has other fields than %s: %s. Use the names of its class, or add @JsonAlias to the class"
                            .formatted(type.getTypeName(), renamed),
                    null);
        }
        return reading.value();
    }

    /** @throws NotHandledException if a newer version of the application wrote the state */
    public void requireKnown(SagaDocument stored) {
        int version = stored.stateVersion();
        if (version > saga.version()) {
            throw NotHandledException.byThisVersion(
                    "The state of saga %s %s has version %s, but this instance only knows %s: the message waits for an instance of a newer version"
                            .formatted(saga.name(), stored.id(), version, saga.version()));
        }
    }

    private ObjectNode upgraded(SagaDocument stored) {
        requireKnown(stored);
        return upgraded(saga, stored(stored), stored.stateVersion());
    }

    /** A state of an earlier version, as the present one has it. */
    public static ObjectNode upgraded(SagaDefinition saga, ObjectNode stored, int version) {
        ObjectNode state = stored;
        for (int from = version; from < saga.version(); from++) {
            @Nullable UnaryOperator<ObjectNode> upgrade = saga.upgrades().get(from);
            if (upgrade != null) {
                state = upgrade.apply(state.deepCopy());
            }
        }
        return state;
    }

    private ObjectNode stored(SagaDocument document) {
        String sealed = document.sealedState();
        if (sealed == null) {
            if (sealing != null) {
                sealing.requireMayBeClear(document);
            }
            return document.state();
        }
        if (sealing == null) {
            throw Sealing.byAnotherVersion(StateSealing.what(saga.name(), document));
        }
        return object(StateFormat.parse(sealing.opened(document, sealed).getBytes(StandardCharsets.UTF_8)));
    }

    private ObjectNode object(JsonNode state) {
        if (state instanceof ObjectNode object) {
            return object;
        }
        throw new MisuseException(
                MisuseException.SAGA,
                "The state of saga %s does not become a JSON object. Use a record, or a class with properties."
                        .formatted(saga.name()));
    }
}
