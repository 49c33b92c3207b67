// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operating;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What instances of a node tell each other. Immutable.
 *
 * @param from the instance
 * @param operation that is ordered or answered; {@code null} for the other kinds
 * @param order of kind {@link Kind#ORDER} only
 */
record Word(
        Kind kind,
        String from,
        @Nullable String operation,
        boolean applied,
        @Nullable Order order) {

    enum Kind {
        /** An instance has started; the others say that they are here. */
        HELLO,
        HERE,
        /** An instance stops. */
        BYE,
        ORDER,
        ANSWER
    }

    private static final int LARGEST = 16 * 1024;

    static Word of(Kind kind, String from) {
        return new Word(kind, from, null, false, null);
    }

    static Word order(String from, Order order) {
        return new Word(Kind.ORDER, from, order.operation(), false, order);
    }

    static Word answer(String from, String operation, boolean applied) {
        return new Word(Kind.ANSWER, from, operation, applied, null);
    }

    byte[] write(JsonMapper mapper) {
        ObjectNode json = mapper.createObjectNode().put("kind", kind.name()).put("from", from);
        if (operation != null) {
            json.put("operation", operation);
        }
        if (kind == Kind.ANSWER) {
            json.put("applied", applied);
        }
        if (order != null) {
            order.writeTo(json);
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @return {@code null} for what no instance of this version tells */
    static @Nullable Word read(byte[] bytes, JsonMapper mapper) {
        if (bytes.length > LARGEST) {
            return null;
        }
        try {
            JsonNode json = mapper.readTree(bytes);
            Kind kind = Kind.valueOf(json.path("kind").asString(""));
            boolean named = kind == Kind.ORDER || kind == Kind.ANSWER;
            return new Word(
                    kind,
                    Limits.text(json, "from", Limits.LONGEST_ID),
                    named ? Limits.text(json, "operation", Limits.LONGEST_ID) : null,
                    json.path("applied").asBoolean(false),
                    kind == Kind.ORDER ? Order.read(json) : null);
        } catch (JacksonException | IllegalArgumentException | ArithmeticException | DateTimeException e) {
            return null;
        }
    }
}
