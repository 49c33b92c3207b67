// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import io.safebunny.message.Names;
import io.safebunny.transport.ControlAddress.OfInstance;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A question to every instance on the broker. It changes nothing: a forged one costs an answer.
 *
 * @param v version of the questions that the asker speaks
 * @param answerTo where the asker listens for replies
 * @param id chosen by the asker; replies repeat it
 * @param what the name of the question
 * @param about what it is about, such as an id; empty if about nothing in particular
 */
record Question(int v, Sender from, OfInstance answerTo, String id, String what, String about) {

    /** The version of questions and replies that this code speaks. Readers ignore properties that they do not know. */
    static final int VERSION = 1;

    private static final String KIND = "ASK";
    static final int LARGEST = 16 * 1024;

    /** Of what a question is about, in characters. */
    static final int LONGEST_ABOUT = 10 * 1024;

    byte[] write(JsonMapper mapper) {
        ObjectNode json = mapper.createObjectNode().put("kind", KIND).put("v", v);
        from.writeTo(json);
        json.put("answerTo", answerTo.id()).put("question", id).put("what", what);
        if (!about.isEmpty()) {
            json.put("about", about);
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @return the question; {@code null} if it is none */
    static @Nullable Question parse(byte[] bytes, JsonMapper mapper) {
        if (bytes.length > LARGEST) {
            return null;
        }
        try {
            JsonNode json = mapper.readTree(bytes);
            String answerTo = json.path("answerTo").asString("");
            if (!KIND.equals(json.path("kind").asString("")) || !OfInstance.isId(answerTo)) {
                return null;
            }
            return new Question(
                    json.path("v").asInt(0),
                    Sender.read(json),
                    new OfInstance(answerTo),
                    Sender.id(json, "question"),
                    Sender.id(json, "what"),
                    about(json));
        } catch (JacksonException | IllegalArgumentException e) {
            return null;
        }
    }

    private static String about(JsonNode json) {
        String about = json.path("about").asString("");
        if (about.length() > LONGEST_ABOUT || !Names.isUnicode(about)) {
            throw new IllegalArgumentException("about");
        }
        return about;
    }
}
