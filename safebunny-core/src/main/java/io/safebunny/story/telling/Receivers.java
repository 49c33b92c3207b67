// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.BlockedOn;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Story.Asked;
import io.safebunny.story.exchange.Awaiting;
import io.safebunny.story.exchange.Gathered;
import io.safebunny.story.exchange.OwnMessages;
import io.safebunny.story.search.OwnPart;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which nodes have a record of a message, and which have answered at all. Immutable. */
final class Receivers {

    private static final int MOST_NAMED = 5;

    private final Map<String, Set<String>> handledBy = new HashMap<>();
    private final Map<String, List<Known>> known = new HashMap<>();
    private final Map<String, Integer> answered = new HashMap<>();
    private final NodeStory own;
    private final boolean wasAsked;
    private final boolean isComplete;
    private final @Nullable String untold;

    /** One record of a message. */
    record Known(NodeStory part, Message message) {}

    Receivers(Gathered gathered) {
        own = gathered.parts().get(0);
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
        untold = untold(gathered);
    }

    private static @Nullable String untold(Gathered gathered) {
        if (gathered.asked().isEmpty()) {
            return "no other node was asked";
        } else if (gathered.problem() != null) {
            return "other nodes could not be asked, or not be heard";
        } else if (!gathered.isRelated()) {
            return "other nodes were not asked for its correlation id";
        }
        Set<String> told = gathered.parts().stream()
                .filter(Receivers::isWhole)
                .map(NodeStory::node)
                .collect(Collectors.toSet());
        Set<String> nodes = new TreeSet<>();
        gathered.asked().stream()
                .map(Asked::node)
                .filter(node -> !told.contains(node))
                .forEach(nodes::add);
        List<String> names = new ArrayList<>(
                nodes.stream().limit(MOST_NAMED).map(Words::text).toList());
        if (nodes.size() > MOST_NAMED) {
            names.add(Words.count(nodes.size() - MOST_NAMED, "more node"));
        }
        return names.isEmpty()
                ? null
                : "%s %s not told all".formatted(Words.join(names, "and"), nodes.size() == 1 ? "has" : "have");
    }

    /** Whether it means something if this part has no record, or no saga. */
    private static boolean isWhole(NodeStory part) {
        return new Gathered(null, List.of(part), List.of(), true).isComplete();
    }

    /** {@code ask billing}, of texts that do not leave it; empty if they are here. */
    String withheld(NodeStory part) {
        return wasAsked && !isOwn(part) ? "ask " + keeper(part) : "";
    }

    /** Who has the texts of a part: whoever has asked one instance of a node has to ask the other one itself. */
    String keeper(NodeStory part) {
        return part.node().equals(own.node()) && !isOwn(part)
                ? "instance %s of %s".formatted(Words.text(part.instance()), Words.text(part.node()))
                : Words.text(part.node());
    }

    private boolean isOwn(NodeStory part) {
        return part.node().equals(own.node()) && part.instance().equals(own.instance());
    }

    /** A failure, and who tells its text. */
    String failure(NodeStory part, Failure failure) {
        return failure(part, failure.exception(), failure.text());
    }

    String failure(NodeStory part, String exception, @Nullable String text) {
        String withheld = text == null ? withheld(part) : "";
        return Words.failure(exception, text) + (withheld.isEmpty() ? "" : "; %s for its text".formatted(withheld));
    }

    /** What was published, and what it was if somebody has handled it. */
    String name(Publication sent) {
        if (Awaiting.one(sent.type()) == null) {
            return Words.message(sent.type(), sent.id());
        }
        if (Awaiting.isTimeout(sent.type()) && !isKnown(sent.id())) {
            return "%s (%s)".formatted(OwnMessages.ALARM, Words.text(sent.id()));
        }
        return of(sent.id()).stream()
                .filter(known -> known.message().state() == State.HANDLED
                        || known.message().state() == State.UNSENT)
                .map(known -> Words.handled(known.message(), new OwnMessages(known.part())))
                .findFirst()
                .orElse(Words.message(sent.type(), sent.id()));
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

    /** The message, if its node says that it has dropped it because of its deadline. */
    @Nullable
    Message dropped(BlockedOn blocked) {
        return of(blocked.messageId()).stream()
                .filter(one -> one.part().node().equals(blocked.node()))
                .map(Known::message)
                .filter(message -> message.state() == State.EXPIRED || Words.isShredded(message))
                .findFirst()
                .orElse(null);
    }

    /** Whether other nodes were asked at all. */
    boolean wereAsked() {
        return wasAsked;
    }

    /** Whether it means something if nobody has a record. */
    boolean isComplete() {
        return isComplete;
    }

    /**
     * Who may have a saga of which nothing is told here: {@code orders has not told all}. {@code null} if nobody may; instances of one node
     * have the same sagas.
     */
    @Nullable
    String untold() {
        return untold;
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

    /** At most one sentence. */
    static List<String> sentences(List<Untaken> untaken) {
        if (untaken.isEmpty()) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        untaken.stream()
                .limit(MOST_NAMED)
                .forEach(one -> names.add("%s of %s"
                        .formatted(Words.message(one.sent().type(), one.sent().id()), Words.text(one.publisher()))));
        if (untaken.size() > MOST_NAMED) {
            names.add(Words.count(untaken.size() - MOST_NAMED, "more message"));
        }
        return List.of(
                "Published, but no node that has answered has a record of: %s. Each waits for its first delivery, is for a node that keeps no records or has not answered, is older than the records that are kept, or is taken by nobody."
                        .formatted(Words.join(names, "and")));
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

    /** What it has published that the broker has, and who has handled that. */
    List<String> published(Message message, Words words) {
        List<String> sentences = new ArrayList<>();
        Map<String, List<Publication>> byFate = new TreeMap<>();
        for (Publication publication : message.published()) {
            if (publication.confirmed()) {
                byFate.computeIfAbsent(fate(publication), fate -> new ArrayList<>())
                        .add(publication);
            }
        }
        byFate.forEach((fate, publications) ->
                sentences.add("It has published %s%s.".formatted(named(publications, words), fate)));
        if (message.omitted() > 0) {
            sentences.add("It has published %s, which its record does not name."
                    .formatted(Words.count(message.omitted(), "more message")));
        }
        return sentences;
    }

    private String fate(Publication publication) {
        Set<String> handlers = handledBy(publication.id());
        if (handlers.isEmpty()) {
            return "; nobody who was asked has a record that says handled";
        }
        List<String> names = handlers.stream().map(Words::text).toList();
        return ", which %s %s handled".formatted(Words.join(names, "and"), names.size() == 1 ? "has" : "have");
    }

    /** Some of them, and how many more there are. */
    String named(List<Publication> publications, Words words) {
        List<String> names = new ArrayList<>();
        publications.stream()
                .limit(MOST_NAMED)
                .forEach(publication -> names.add(name(publication) + due(publication, words)));
        if (publications.size() > MOST_NAMED) {
            names.add(Words.count(publications.size() - MOST_NAMED, "other message"));
        }
        return Words.join(names, "and");
    }

    private String due(Publication publication, Words words) {
        Instant at = publication.dueAt();
        return at == null || words.isPast(at) || !handledBy(publication.id()).isEmpty()
                ? ""
                : ", due at " + words.at(at);
    }
}
