// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.message.Names;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What one instance replies to a {@link Question}. It changes nothing: a forged one shows wrong lines under the name that it claims.
 *
 * @param v version of the questions that the sender speaks
 * @param question the {@link Question#id} that it replies to
 * @param answer {@code null} if there is none
 * @param refused why there is no answer, in a word; {@code null} if there is one
 */
record Reply(
        int v,
        Sender from,
        String question,
        @Nullable ObjectNode answer,
        @Nullable String refused) {

    /** Property of an answer whose lists are shortened. */
    static final String CUT = "cut";

    /** Refused: the instance answers nobody. */
    static final String NOBODY = "none";

    /** Refused: the instance answers its own node only. */
    static final String OWN_NODE = "node";

    /** Refused: too many questions, or too many bytes of answers, within a second. */
    static final String BUSY = "busy";

    /** Refused: the instance does not know the question. */
    static final String UNKNOWN = "unknown";

    /** Refused: the answer was not found in time. */
    static final String SLOW = "slow";

    private static final String KIND = "TELL";
    static final int LARGEST = 256 * 1024;

    static Reply answered(Sender from, String question, ObjectNode answer) {
        return new Reply(Question.VERSION, from, question, answer, null);
    }

    static Reply refused(Sender from, String question, String word) {
        return new Reply(Question.VERSION, from, question, null, word);
    }

    /** An answer that is too large gets shorter lists; if that does not help, it is refused. */
    byte[] write(JsonMapper mapper) {
        byte[] bytes = json(mapper).toString().getBytes(StandardCharsets.UTF_8);
        while (bytes.length > LARGEST) {
            if (answer == null || !halved(answer)) {
                return refused(from, question, "too large").write(mapper);
            }
            bytes = json(mapper).toString().getBytes(StandardCharsets.UTF_8);
        }
        return bytes;
    }

    private ObjectNode json(JsonMapper mapper) {
        ObjectNode json = mapper.createObjectNode().put("kind", KIND).put("v", v);
        from.writeTo(json);
        json.put("question", question);
        if (answer != null) {
            json.set("answer", answer);
        }
        if (refused != null) {
            json.put("refused", refused);
        }
        return json;
    }

    /** Drops the second half of the longest list; whether there was one. */
    private static boolean halved(ObjectNode answer) {
        ArrayNode longest = null;
        for (Map.Entry<String, JsonNode> property : answer.properties()) {
            if (property.getValue() instanceof ArrayNode list && (longest == null || list.size() > longest.size())) {
                longest = list;
            }
        }
        if (longest == null || longest.isEmpty()) {
            return false;
        }
        int kept = longest.size() / 2;
        while (longest.size() > kept) {
            JsonNode unused = longest.remove(longest.size() - 1);
        }
        answer.put(CUT, true);
        return true;
    }

    /** @return the reply; {@code null} if it is none */
    static @Nullable Reply parse(byte[] bytes, JsonMapper mapper) {
        if (bytes.length > LARGEST) {
            return null;
        }
        try {
            JsonNode json = mapper.readTree(bytes);
            Sender from = Sender.read(json);
            if (!KIND.equals(json.path("kind").asString("")) || from.node().isEmpty()) {
                return null;
            }
            String refused = json.path("refused").asString("");
            return new Reply(
                    json.path("v").asInt(0),
                    from,
                    Sender.id(json, "question"),
                    json.path("answer") instanceof ObjectNode answer ? answer : null,
                    refused.isEmpty() ? null : Names.printable(refused));
        } catch (JacksonException | IllegalArgumentException e) {
            return null;
        }
    }
}
