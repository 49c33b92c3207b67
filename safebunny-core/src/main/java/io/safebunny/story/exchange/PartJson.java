// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.story.NodeStory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The answer to the question for a story. Pure. */
public final class PartJson {

    private static final String PART = "part";

    private PartJson() {}

    /**
     * Without texts that people or exceptions have written, and cut to the size of a reply.
     *
     * @param id what was asked for
     */
    public static ObjectNode answer(String id, NodeStory part, boolean shared) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        NodeStory told = Shortened.of(id, WithoutTexts.of(part));
        answer.set(PART, PartWriter.json(new SharedPart(told, shared)));
        return answer;
    }

    /** @return {@code null} if it is none; node and instance are empty, because the sender says who it is */
    public static @Nullable SharedPart read(ObjectNode answer) {
        return PartReader.read(answer.path(PART));
    }
}
