// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.message.Names;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.saga.Sagas;
import io.safebunny.story.BunnyStory;
import io.safebunny.story.NodeStory;
import io.safebunny.story.Story;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Tells the story of an id, as this node knows it. Thread-safe. */
public final class StoryTeller implements BunnyStory, NodeFeature {

    private static final int LONGEST_ID = 1024;

    /** How long the search for what an id is may take. */
    private static final Duration SEARCH = Duration.ofSeconds(5);

    private final OwnPart own;
    private final Node node;
    private volatile List<HandlerDefinition> handlers = List.of();

    /**
     * @param instance name of this instance
     * @param definitions the node's sagas; empty before the start
     */
    public StoryTeller(Node node, Supplier<String> instance, Sagas sagas, Supplier<List<SagaDefinition>> definitions) {
        this.node = node;
        this.own = new OwnPart(node, instance, sagas, definitions);
    }

    @Override
    public List<Object> offers() {
        return List.of(this);
    }

    @Override
    public void startConsuming(List<HandlerDefinition> all) {
        handlers = List.copyOf(all);
    }

    @Override
    public Story of(String id) {
        if (id.isBlank() || id.length() > LONGEST_ID || !Names.isUnicode(id)) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid id of a story [id=%s, length=%s]: it must have 1 to %s characters, not only spaces, and no half of a character. Use a correlation id, a message id or an idempotency key."
                            .formatted(Names.printable(id), id.length(), LONGEST_ID));
        }
        NodeStory part = own(id);
        return Telling.of(id, node.timeline().now(), List.of(part)); // what it has found has happened by now
    }

    /** What this instance knows. */
    NodeStory own(String id) {
        return own.of(id, handlers, SEARCH);
    }
}
