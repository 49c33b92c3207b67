// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story;

import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import java.time.Instant;
import java.util.List;

/** Parts of a story that consist of sagas and messages only. */
public final class Parts {

    private Parts() {}

    /** Of the correlation id {@code c}. */
    public static NodeStory part(String node, String instance, Instant asOf, List<Saga> sagas, List<Message> messages) {
        return new NodeStory(
                node,
                instance,
                asOf,
                "correlation id",
                List.of("c"),
                List.of(),
                sagas,
                messages,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                false);
    }
}
