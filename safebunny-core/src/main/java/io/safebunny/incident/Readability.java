// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.SagaHandler;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.poison.replay.QueuePoisonMessages.Found;
import io.safebunny.saga.document.SagaCopy;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.serialization.MessageSerializer;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Says what masking has made unreadable: with that, a test fails in another way than production did. Thread-safe. */
final class Readability {

    private static final String JSON = "application/json";

    private static final int LONGEST = 300;

    private final Node node;

    Readability(Node node) {
        this.node = node;
    }

    /**
     * Compares two copies of a saga.
     *
     * @return a sentence; {@code null} if the class reads the masked state as well as the stored one
     */
    @Nullable
    String ofState(SagaDefinition definition, String id, String unmasked, String masked) {
        String problem = problem(definition, id, masked);
        return problem == null || problem(definition, id, unmasked) != null
                ? null
                : "The class cannot read the masked state, so the test fails in another way until you put in values that it can read: "
                        + problem;
    }

    private @Nullable String problem(SagaDefinition definition, String id, String copy) {
        SagaDocument saga = SagaCopy.read(definition.name(), id, copy, SagaCopy.changedAt(copy));
        try {
            Object unused = saga.stateVersion() == 0
                    ? ""
                    : SagaStates.of(definition, node).read(saga);
            return null;
        } catch (Throwable e) { // from a constructor or static initializer of the application
            String text = node.options().exceptionDetails().text(e);
            return text == null ? e.getClass().getName() : Names.printable(text, LONGEST);
        }
    }

    /** @return a sentence; {@code null} if the handler reads the masked body as well as the delivered one */
    @Nullable
    String ofBody(@Nullable Type payload, byte[] stored, Found found, String masked) {
        if (payload == null || read(payload, stored, found) == null) {
            return null;
        }
        return readText(payload, masked, found.version()) != null
                ? null
                : "The handler cannot read the masked body, so the test fails in another way until you put in values that it can read.";
    }

    /** The id of the saga as {@code @CorrelatedBy} reads it; {@code null} if there is none, or the payload does not have it. */
    @Nullable
    String sagaIn(SagaHandler handler, byte[] body, Found found) {
        Object payload = handler.correlation() == null ? null : read(handler.payloadType(), body, found);
        return payload == null ? null : sagaIn(handler, payload);
    }

    static @Nullable String sagaIn(SagaHandler handler, Object payload) {
        Function<Object, @Nullable String> correlation = handler.correlation();
        try {
            return correlation == null ? null : correlation.apply(payload);
        } catch (RuntimeException e) { // the payload does not fit the expression
            return null;
        }
    }

    /** {@code null} if it cannot be read. */
    @Nullable
    Object readText(Type payload, String json, int version) {
        return read(payload, json.getBytes(StandardCharsets.UTF_8), JSON, version);
    }

    private @Nullable Object read(Type payload, byte[] body, Found found) {
        return read(payload, body, found.contentType(), found.version());
    }

    private @Nullable Object read(Type payload, byte[] body, String contentType, int version) {
        MessageSerializer serializer = node.parts().serializers().readerOf(contentType);
        try {
            BodyVersions versions = BodyVersions.of(payload);
            return serializer == null || version > versions.present()
                    ? null
                    : Objects.requireNonNullElse(
                            serializer.deserialize(versions.upcast(body, version, contentType), payload), "");
        } catch (Throwable e) { // from a constructor or static initializer of the application
            return null;
        }
    }
}
