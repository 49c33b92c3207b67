// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.story.NodeStory.State;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What people did with the copies of messages that were set aside, as far as the instances remember through which they did it. That somebody
 * did nothing does not follow from it. Immutable.
 */
public final class HandMoves {

    private final List<NodeStory> parts;

    public HandMoves(List<NodeStory> parts) {
        this.parts = List.copyOf(parts);
    }

    /** @param part of the instance through which it was moved */
    public record Move(NodeStory part, Moved moved) {}

    /** That its copy was discarded since it was last set aside, and not restored; {@code null} if that is not known. */
    public @Nullable Move discarded(String node, Message message) {
        Move last = last(node, message);
        return last != null
                        && last.moved.kind() == Moved.Kind.DISCARDED
                        && !last.moved.at().isBefore(setAside(message))
                ? last
                : null;
    }

    /** That its copy was last replayed; {@code null} if that is not known. */
    public @Nullable Move replayed(String node, Message message) {
        Move last = last(node, message);
        return last != null && last.moved.kind() == Moved.Kind.REPLAYED ? last : null;
    }

    private @Nullable Move last(String node, Message message) {
        return parts.stream()
                .filter(part -> part.node().equals(node))
                .flatMap(part -> part.moved().stream().map(moved -> new Move(part, moved)))
                .filter(move -> move.moved.messageId().equals(message.id())
                        && move.moved.correlationId().equals(message.correlationId()))
                .max(Comparator.comparing(move -> move.moved.at()))
                .orElse(null);
    }

    /** When it was last set aside, at the latest. */
    private static Instant setAside(Message message) {
        Instant changed = message.changedAt();
        return message.failures().stream()
                .map(Failure::at)
                .max(Comparator.naturalOrder())
                .orElse(message.state() == State.SET_ASIDE && changed != null ? changed : Instant.MIN);
    }
}
