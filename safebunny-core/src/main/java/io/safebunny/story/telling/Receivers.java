// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Story.Asked;
import io.safebunny.story.exchange.Gathered;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which nodes have a record of a message, and which have answered at all. Immutable. */
final class Receivers {

    private final Map<String, Set<String>> handledBy = new HashMap<>();
    private final Map<String, List<Known>> known = new HashMap<>();
    private final Map<String, Integer> answered = new HashMap<>();
    private final boolean wasAsked;
    private final boolean isComplete;

    /** One record of a message. */
    record Known(NodeStory part, Message message) {}

    Receivers(Gathered gathered) {
        List<Asked> asked = gathered.asked();
        for (NodeStory part : gathered.parts()) {
            for (Message message : part.messages()) {
                known.computeIfAbsent(message.id(), id -> new ArrayList<>()).add(new Known(part, message));
                if (message.state() == State.HANDLED || message.state() == State.UNSENT) {
                    handledBy
                            .computeIfAbsent(message.id(), id -> new TreeSet<>())
                            .add(part.node());
                }
            }
        }
        wasAsked = !asked.isEmpty();
        isComplete = wasAsked && gathered.isComplete();
        asked.stream().filter(Asked::answered).forEach(one -> answered.merge(one.node(), 1, Integer::sum));
    }

    /** Nodes that say that they have handled it, by name. */
    Set<String> handledBy(String messageId) {
        return handledBy.getOrDefault(messageId, Collections.emptySet());
    }

    /** Whether a node has a record of it, whatever that says. */
    boolean isKnown(String messageId) {
        return known.containsKey(messageId);
    }

    List<Known> of(String messageId) {
        return known.getOrDefault(messageId, List.of());
    }

    /** Whether other nodes were asked at all. */
    boolean wereAsked() {
        return wasAsked;
    }

    /** Whether it means something if nobody has a record. */
    boolean isComplete() {
        return isComplete;
    }

    /** A publication that the broker has, and of which nobody has a record. */
    record Untaken(Publication sent, String publisher) {}

    /** Without what is due later, and without what sagas and nodes send to themselves. */
    List<Untaken> untaken(List<NodeStory> parts, Words words) {
        Map<String, Untaken> untaken = new LinkedHashMap<>();
        for (NodeStory part : parts) {
            for (Message message : part.messages()) {
                for (Publication sent : message.published()) {
                    Instant due = sent.dueAt();
                    boolean isInternal =
                            Awaiting.isForSagas(sent.type()) || sent.type().equals(OwnPart.SCHEDULED);
                    if (sent.confirmed() && !isInternal && !isKnown(sent.id()) && (due == null || words.isPast(due))) {
                        untaken.put(sent.id(), new Untaken(sent, part.node()));
                    }
                }
            }
        }
        return List.copyOf(untaken.values());
    }

    boolean hasAnswered(String node) {
        return answered.containsKey(node);
    }

    /** Where nothing is paused: {@code at instance a-1 of a}, or at all that have answered. */
    String nowherePaused(NodeStory part) {
        int instances = answered.getOrDefault(part.node(), 1);
        return instances == 1
                ? Words.at(part)
                : "at any of the %s instances of %s that have answered".formatted(instances, Words.text(part.node()));
    }
}
