// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Looked;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.Scheduled;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.NodeStory.Unsent;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Command;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Joins what nodes know into one story: the most important first. Confined to one thread. */
final class Telling {

    /** Of messages that are not handled yet, and of what waits to be sent. The timeline has all of them. */
    private static final int MOST_TOLD = 20;

    private final String id;
    private final List<NodeStory> parts;
    private final Words words;
    private final Map<String, String> handledBy = new HashMap<>();
    private final List<String> sentences = new ArrayList<>();
    /** Without repetitions. */
    private final Set<Command> next = new LinkedHashSet<>();

    private Telling(String id, Instant now, List<NodeStory> parts) {
        this.id = id;
        this.parts = parts;
        this.words = new Words(now);
        for (NodeStory part : parts) {
            for (Message message : part.messages()) {
                if (message.state() == State.HANDLED || message.state() == State.UNSENT) {
                    handledBy.put(message.id(), part.node());
                }
            }
        }
    }

    static Story of(String id, Instant now, List<NodeStory> parts) {
        Telling telling = new Telling(id, now, parts);
        telling.tell();
        return new Story(id, now, telling.sentences, List.copyOf(telling.next), Chronicle.of(now, parts), parts);
    }

    private void tell() {
        for (NodeStory part : parts) {
            part.troubles()
                    .forEach(trouble ->
                            sentences.add("At %s, %s.".formatted(Words.text(part.node()), Words.text(trouble))));
        }
        if (parts.stream().allMatch(NodeStory::isEmpty)) {
            tellThatNobodyKnows();
            return;
        }
        parts.forEach(part -> part.sagas().forEach(saga -> tell(part, saga)));
        parts.forEach(this::tellOpen);
        parts.forEach(this::tellUnsent);
        parts.forEach(part -> part.scheduled().forEach(scheduled -> tell(part, scheduled)));
        parts.forEach(this::tellHandled);
        parts.forEach(this::tellLimits);
    }

    private void tell(NodeStory part, Saga saga) {
        SagaSentences told = new SagaSentences(part, saga, words);
        sentences.addAll(told.sentences());
        next.addAll(told.next());
    }

    /** The message that was asked for comes first, then those that failed last. */
    private void tellOpen(NodeStory part) {
        List<Message> open = part.messages().stream()
                .filter(message -> isOpen(part, message) || message.id().equals(id))
                .sorted(Comparator.comparing((Message message) -> !message.id().equals(id))
                        .thenComparing(Message::state)
                        .thenComparing(Message::id))
                .toList();
        for (Message message : open.subList(0, Math.min(MOST_TOLD, open.size()))) {
            MessageSentences told = new MessageSentences(part, message, words, handledBy);
            sentences.addAll(told.sentences(message.id().equals(id)));
            next.addAll(told.next());
        }
        if (open.size() > MOST_TOLD) {
            sentences.add("%s has %s more that are not handled."
                    .formatted(Words.text(part.node()), Words.count(open.size() - MOST_TOLD, "message")));
        }
    }

    private boolean isOpen(NodeStory part, Message message) {
        return new MessageSentences(part, message, words, handledBy).isOpen();
    }

    private void tellUnsent(NodeStory part) {
        List<Unsent> unsent = part.outbox();
        for (Unsent row : unsent.subList(0, Math.min(MOST_TOLD, unsent.size()))) {
            sentences.add("%s is in the outbox of %s since %s, and the broker has not confirmed it%s. %s"
                    .formatted(
                            Words.message(row.type(), row.messageId()),
                            Words.text(part.node()),
                            words.at(row.storedAt()),
                            row.attempts() == 0 ? "" : ": the relay has failed " + Words.times(row.attempts()),
                            words.isPast(row.dueAt())
                                    ? "It was to be sent at %s, if not before.".formatted(words.at(row.dueAt()))
                                    : "It is sent at %s, if not before.".formatted(words.at(row.dueAt()))));
        }
        if (unsent.size() > MOST_TOLD) {
            sentences.add("%s more wait in the outbox of %s."
                    .formatted(Words.count(unsent.size() - MOST_TOLD, "message"), Words.text(part.node())));
        }
        if (!unsent.isEmpty()) {
            next.add(Curl.get("how much waits in the outbox", part.node(), "safebunny/outbox"));
            next.add(Curl.get("whether the broker takes messages", part.node(), "safebunny/publisher"));
        }
    }

    private void tell(NodeStory part, Scheduled scheduled) {
        Instant at = scheduled.deliverAt();
        String when = at == null ? "" : " for " + words.at(at);
        sentences.add(
                switch (scheduled.status()) {
                    case WAITING ->
                        "%s has scheduled message %s%s%s."
                                .formatted(
                                        Words.text(part.node()),
                                        Words.text(scheduled.messageId()),
                                        when,
                                        at != null && words.isPast(at) ? ", and it has not been published yet" : "");
                    case PUBLISHED ->
                        "%s has published message %s, which was scheduled%s."
                                .formatted(Words.text(part.node()), Words.text(scheduled.messageId()), when);
                    case CANCELLED ->
                        "Message %s, which %s had scheduled, was cancelled."
                                .formatted(Words.text(scheduled.messageId()), Words.text(part.node()));
                });
    }

    private void tellHandled(NodeStory part) {
        List<Message> handled = part.messages().stream()
                .filter(message -> !isOpen(part, message) && !message.id().equals(id))
                .toList();
        if (!handled.isEmpty()) {
            sentences.add("%s has handled %s of it: %s."
                    .formatted(
                            Words.text(part.node()),
                            Words.count(handled.size(), "message"),
                            Words.join(
                                    handled.stream()
                                            .collect(Collectors.groupingBy(
                                                    Message::type, TreeMap::new, Collectors.counting()))
                                            .entrySet()
                                            .stream()
                                            .map(type -> "`%s`%s"
                                                    .formatted(
                                                            Words.text(type.getKey()),
                                                            type.getValue() == 1 ? "" : " (" + type.getValue() + ')'))
                                            .toList(),
                                    "and")));
        }
    }

    private void tellLimits(NodeStory part) {
        if (part.truncated()) {
            sentences.add(
                    "%s knows more of it than is told here: a story has room for %s records and outbox rows, and some megabytes."
                            .formatted(Words.text(part.node()), OwnPart.MOST));
        }
        part.looked().stream()
                .filter(look -> look.note() != null && !look.where().equals(OwnPart.POISON_QUEUE))
                .forEach(look -> sentences.add(look(part, look)));
    }

    private static String look(NodeStory part, Looked look) {
        return "%s, %s: %s.".formatted(Words.text(part.node()), look.where(), Words.text(String.valueOf(look.note())));
    }

    private void tellThatNobodyKnows() {
        sentences.add("Nothing is known of %s.".formatted(Words.text(id)));
        for (NodeStory part : parts) {
            sentences.add("%s has looked at: %s."
                    .formatted(
                            Words.text(part.node()),
                            part.looked().stream()
                                    .filter(look -> look.note() == null)
                                    .map(Looked::where)
                                    .collect(Collectors.joining("; "))));
            part.looked().stream().filter(look -> look.note() != null).forEach(look -> sentences.add(look(part, look)));
            next.add(Curl.get(
                    "what was set aside before it had a record", part.node(), "safebunnypoison/" + Curl.encoded(id)));
            next.add(Curl.get("which nodes there are, to ask another one", part.node(), "safebunny/nodes"));
        }
        sentences.add(
                "It may be known to another node, be too old (records are kept for safebunny.dedup.retention), wait in a queue for its first delivery, or never have been sent.");
    }
}
