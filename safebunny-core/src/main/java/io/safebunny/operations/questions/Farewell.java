// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Says to all nodes that an instance stops. A forged one hides it from their lists until it is heard again. */
record Farewell(Sender from) {

    private static final String KIND = "BYE";

    byte[] write(JsonMapper mapper) {
        ObjectNode json = mapper.createObjectNode().put("kind", KIND);
        from.writeTo(json);
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @return the farewell; {@code null} if it is none */
    static @Nullable Farewell parse(byte[] bytes, JsonMapper mapper) {
        if (bytes.length > Question.LARGEST) {
            return null;
        }
        try {
            JsonNode json = mapper.readTree(bytes);
            return KIND.equals(json.path("kind").asString("")) ? new Farewell(Sender.read(json)) : null;
        } catch (JacksonException | IllegalArgumentException e) {
            return null;
        }
    }
}
