// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.order.lane.Lane;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Line;
import io.safebunny.story.NodeStory.Message;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says for which message another one of its order key waits, and how many wait for it. */
final class LineSentences {

    private final NodeStory part;
    private final Message message;
    private final Line line;
    private final Words words;
    private final Receivers receivers;

    private LineSentences(NodeStory part, Message message, Line line, Words words, Receivers receivers) {
        this.part = part;
        this.message = message;
        this.line = line;
        this.words = words;
        this.receivers = receivers;
    }

    /** Nothing of a message that is in no line. */
    static List<String> of(NodeStory part, Message message, boolean isAsked, Words words, Receivers receivers) {
        Line line = message.line();
        return line == null ? List.of() : new LineSentences(part, message, line, words, receivers).sentences(isAsked);
    }

    /** Whether it waits for another one of its key, and has not been tried. */
    static boolean isBehind(Message message) {
        return message.line() != null && message.line().place() != 0;
    }

    /** Whether nothing of its key goes on without a person. */
    static boolean holdsOthers(Message message) {
        Line line = message.line();
        return line != null && line.place() == 0 && line.held() && line.waiting() > 0;
    }

    private List<String> sentences(boolean isAsked) {
        return line.place() == 0 ? ofHead() : ofParked(isAsked);
    }

    private List<String> ofHead() {
        List<String> sentences = new ArrayList<>();
        String key = Words.text(message.correlationId());
        if (line.held()) {
            sentences.add(
                    line.waiting() == 0
                            ? "Messages of order key %s that come now wait for it, until somebody replays or discards it."
                                    .formatted(key)
                            : "%s of order key %s %s for it, until somebody replays or discards it."
                                    .formatted(
                                            Words.capitalised(some(line.waiting())),
                                            key,
                                            line.waiting() == 1 ? "waits" : "wait"));
        } else if (line.waiting() > 0) {
            sentences.add("%s of order key %s %s for it, and %s once it is handled."
                    .formatted(
                            Words.capitalised(some(line.waiting())),
                            key,
                            line.waiting() == 1 ? "waits" : "wait",
                            line.waiting() == 1 ? "follows" : "follow"));
        }
        addFull(sentences);
        return sentences;
    }

    private List<String> ofParked(boolean isAsked) {
        List<String> sentences = new ArrayList<>();
        String key = Words.text(message.correlationId());
        String place = line.waiting() == 1
                ? "the only message of order key %s that".formatted(key)
                : "%s of %s messages of order key %s that"
                        .formatted(line.place() < 0 ? "one" : "number " + line.place(), line.waiting(), key);
        if (line.head() == null) {
            sentences.add("It is %s %s handled now%s."
                    .formatted(
                            place,
                            line.waiting() == 1 ? "is" : "are",
                            line.waiting() == 1 ? "" : ", one after the other"));
        } else {
            sentences.add("It is %s %s for message %s.%s"
                    .formatted(
                            place,
                            line.waiting() == 1 ? "waits" : "wait",
                            Words.text(line.head()),
                            isAsked ? ' ' + whyItWaits() : ""));
        }
        if (isAsked) {
            addFull(sentences);
        }
        return sentences;
    }

    private String whyItWaits() {
        Failure failure = lastOfHead();
        String how = failure == null ? "" : " (%s)".formatted(receivers.failure(part, failure));
        if (line.held()) {
            return "That was set aside at %s%s: nothing of this key goes on until somebody replays or discards it."
                    .formatted(words.at(line.since()), how);
        }
        Instant next = line.dueAt();
        return "That has not been handled yet%s%s."
                .formatted(
                        how,
                        next == null
                                ? ""
                                : words.isPast(next)
                                        ? ", and was to go on at " + words.at(next)
                                        : ", and goes on at " + words.at(next));
    }

    private @Nullable Failure lastOfHead() {
        return part.messages().stream()
                .filter(other -> other.id().equals(line.head())
                        && other.correlationId().equals(message.correlationId())
                        && !other.failures().isEmpty())
                .map(other -> other.failures().get(other.failures().size() - 1))
                .findFirst()
                .orElse(null);
    }

    private void addFull(List<String> sentences) {
        if (line.waiting() >= Lane.MOST_PARKED) {
            sentences.add(
                    "No more of this key may wait there: the next one keeps its place in the queue, and may stop all keys of %s."
                            .formatted(Words.types(message.type())));
        }
    }

    private static String some(int messages) {
        return Words.count(messages, "message");
    }
}
