// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.message.Names;
import io.safebunny.operations.questions.Sender;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A hint between instances. It changes nothing by itself: a forged one can only make an instance read the store, or answer.
 *
 * @param operation the operation to read, or that was read; {@code null} for kinds without one
 * @param applied in an answer: whether the store has the operation
 */
record ControlMessage(Kind kind, Sender from, @Nullable String operation, boolean applied) {

    enum Kind {
        /** An instance has started; the others of its node answer with {@link #HERE}. */
        HELLO,
        HERE,
        /** An instance is stopping. */
        BYE,
        /** The store has a new operation: read it now and answer. */
        READ,
        ANSWER
    }

    private static final int LARGEST = 16 * 1024;

    static ControlMessage of(Kind kind, Sender from) {
        return new ControlMessage(kind, from, null, false);
    }

    static ControlMessage read(Sender from, String operation) {
        return new ControlMessage(Kind.READ, from, operation, false);
    }

    static ControlMessage answer(Sender from, String operation, boolean applied) {
        return new ControlMessage(Kind.ANSWER, from, operation, applied);
    }

    byte[] write(JsonMapper mapper) {
        ObjectNode json = mapper.createObjectNode().put("kind", kind.name());
        from.writeTo(json);
        if (operation != null) {
            json.put("operation", operation);
        }
        if (kind == Kind.ANSWER) {
            json.put("applied", applied);
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @return the message; {@code null} if this version of SafeBunny does not send such a hint */
    static @Nullable ControlMessage parse(byte[] bytes, JsonMapper mapper) {
        if (bytes.length > LARGEST) {
            return null;
        }
        try {
            JsonNode json = mapper.readTree(bytes);
            Kind kind = Kind.valueOf(json.path("kind").asString(""));
            boolean named = kind == Kind.READ || kind == Kind.ANSWER;
            return new ControlMessage(
                    kind,
                    Sender.read(json),
                    named ? Names.printable(Sender.id(json, "operation")) : null,
                    json.path("applied").asBoolean(false));
        } catch (JacksonException | IllegalArgumentException e) {
            return null;
        }
    }
}
