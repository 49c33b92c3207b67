// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Looked;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Says that nobody knows an id, or that this could not be found out: which of them it is decides what somebody does next. */
final class Unknown {

    private final String id;
    private final List<NodeStory> parts;

    Unknown(String id, List<NodeStory> parts) {
        this.id = id;
        this.parts = parts;
    }

    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        List<NodeStory> sure =
                parts.stream().filter(part -> gaps(part).isEmpty()).toList();
        if (!sure.isEmpty()) {
            sentences.add("Nothing is known of %s at %s."
                    .formatted(
                            Words.text(id),
                            Words.join(
                                    sure.stream()
                                            .map(part -> Words.text(part.node()))
                                            .toList(),
                                    "and")));
        }
        for (NodeStory part : parts) {
            addPlaces(sentences, part);
        }
        if (sure.size() == parts.size()) {
            sentences.add(
                    "It may be known to another node, be too old (records are kept for safebunny.dedup.retention), wait in a queue for its first delivery, or never have been sent.");
        }
        return sentences;
    }

    private void addPlaces(List<String> sentences, NodeStory part) {
        String node = Words.text(part.node());
        String looked = part.looked().stream()
                .filter(look -> look.note() == null)
                .map(Looked::where)
                .collect(Collectors.joining("; "));
        List<Looked> gaps = gaps(part);
        if (!gaps.isEmpty()) {
            sentences.add(Words.sentence("It could not be found out whether %s knows %s: %s"
                    .formatted(
                            node,
                            Words.text(id),
                            gaps.stream().map(Unknown::place).collect(Collectors.joining("; ")))));
        }
        if (!looked.isEmpty()) {
            sentences.add("%s has looked at: %s.".formatted(node, looked));
        } else if (gaps.isEmpty()) {
            sentences.add(
                    "%s has nowhere to look: this can be no correlation id and no message id, and it takes nothing of which it could be the key."
                            .formatted(node));
        }
        part.looked().stream()
                .filter(look -> look.where().equals(OwnPart.POISON_QUEUE))
                .forEach(look -> sentences.add(look(part, look)));
    }

    /** What could not be looked at, or not at all of it. */
    static List<Looked> gaps(NodeStory part) {
        return part.looked().stream()
                .filter(look -> look.note() != null && !look.where().equals(OwnPart.POISON_QUEUE))
                .toList();
    }

    static String look(NodeStory part, Looked look) {
        return Words.sentence("%s, %s".formatted(Words.text(part.node()), place(look)));
    }

    private static String place(Looked look) {
        return "%s: %s".formatted(look.where(), Words.text(String.valueOf(look.note())));
    }
}
