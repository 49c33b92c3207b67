// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Looked;
import io.safebunny.story.Story.Asked;
import io.safebunny.story.exchange.Gathered;
import io.safebunny.story.search.OwnPart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Says that nobody knows an id, or that this could not be found out: which of them it is decides what somebody does next. */
final class Unknown {

    private final String id;
    private final List<NodeStory> parts;
    private final Gathered gathered;

    Unknown(String id, Gathered gathered) {
        this.id = id;
        this.parts = gathered.parts();
        this.gathered = gathered;
    }

    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        List<NodeStory> sure = parts.stream()
                .filter(part -> gaps(part).isEmpty()
                        && (parts.size() == 1 || !part.looked().isEmpty()))
                .toList();
        if (!sure.isEmpty()) {
            sentences.add("Nothing is known of %s at %s."
                    .formatted(
                            Words.text(id),
                            Words.join(
                                    sure.stream()
                                            .map(part -> Words.text(part.node()))
                                            .distinct()
                                            .toList(),
                                    "and")));
        }
        if (gathered.asked().isEmpty()) {
            for (NodeStory part : parts) {
                addGaps(sentences, part);
                addPlaces(sentences, List.of(part));
            }
        } else {
            parts.forEach(part -> addGaps(sentences, part));
            addPlaces(sentences, parts);
        }
        if (parts.stream().allMatch(part -> gaps(part).isEmpty())) {
            sentences.add(
                    "It may %sbe too old (records are kept for safebunny.dedup.retention), wait in a queue for its first delivery, or never have been sent."
                            .formatted(elsewhere()));
        }
        return sentences;
    }

    private String elsewhere() {
        if (gathered.asked().isEmpty() || gathered.problem() != null) {
            return "be known to another node, ";
        }
        return gathered.asked().stream().allMatch(Asked::answered) ? "" : "be known to those that have not answered, ";
    }

    private void addGaps(List<String> sentences, NodeStory part) {
        List<Looked> gaps = gaps(part);
        if (!gaps.isEmpty()) {
            sentences.add(Words.sentence("It could not be found out whether %s knows %s: %s"
                    .formatted(
                            Words.text(part.node()),
                            Words.text(id),
                            gaps.stream().map(Unknown::place).collect(Collectors.joining("; ")))));
        }
    }

    /** Most nodes have the same. */
    private void addPlaces(List<String> sentences, List<NodeStory> some) {
        Map<String, Set<String>> nodes = new LinkedHashMap<>();
        Map<String, Set<String>> poison = new LinkedHashMap<>();
        for (NodeStory part : some) {
            String looked = part.looked().stream()
                    .filter(look -> look.note() == null)
                    .map(look -> Words.text(look.where()))
                    .collect(Collectors.joining("; "));
            boolean isFragment = part.looked().isEmpty() && parts.size() > 1; // another instance has looked for it
            if (!looked.isEmpty() || (gaps(part).isEmpty() && !isFragment)) {
                nodes.computeIfAbsent(looked, places -> new LinkedHashSet<>()).add(Words.text(part.node()));
            }
            part.looked().stream()
                    .filter(look -> look.where().equals(OwnPart.POISON_QUEUE))
                    .forEach(look -> poison.computeIfAbsent(place(look), place -> new LinkedHashSet<>())
                            .add(Words.text(part.node())));
        }
        nodes.forEach((looked, names) -> sentences.add(
                looked.isEmpty()
                        ? "%s %s nowhere to look: this can be no correlation id and no message id, and nothing is taken there of which it could be the key."
                                .formatted(join(names), names.size() == 1 ? "has" : "have")
                        : "%s %s looked at: %s.".formatted(join(names), names.size() == 1 ? "has" : "have", looked)));
        poison.forEach((place, names) -> sentences.add(Words.sentence("%s, %s".formatted(join(names), place))));
    }

    private static String join(Set<String> names) {
        return Words.join(List.copyOf(names), "and");
    }

    static List<Looked> gaps(NodeStory part) {
        return Gathered.gaps(part);
    }

    static String look(NodeStory part, Looked look) {
        return Words.sentence("%s, %s".formatted(Words.text(part.node()), place(look)));
    }

    private static String place(Looked look) {
        return "%s: %s".formatted(Words.text(look.where()), Words.text(String.valueOf(look.note())));
    }
}
