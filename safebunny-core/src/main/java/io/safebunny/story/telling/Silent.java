// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.story.Story.Asked;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says whose knowledge is missing in a story, and why. */
final class Silent {

    private static final int MOST_NODES = 20;
    private static final int MOST_INSTANCES = 5;

    /** What was heard so lately has been heard now. */
    private static final Duration LATELY = Duration.ofSeconds(10);

    private final Words words;
    private final @Nullable String problem;
    private final List<Asked> asked;

    Silent(Words words, @Nullable String problem, List<Asked> asked) {
        this.words = words;
        this.problem = problem;
        this.asked = asked;
    }

    /** @param node that has asked */
    List<String> notAsked(String node) {
        return problem == null
                ? List.of()
                : List.of(Words.sentence(
                        "Other nodes could not be asked, or not be heard, so nobody knows what they know, and this is what %s knows: %s"
                                .formatted(Words.text(node), Words.text(problem))));
    }

    /** Of a message that is not theirs, others know only by its correlation id. */
    static String notRelated(String id, String correlationId) {
        return "Other nodes were asked for %s only, and not for its correlation id %s, of which they may know more."
                .formatted(Words.text(id), Words.text(correlationId));
    }

    List<String> sentences() {
        Map<String, List<Asked>> byNode = new LinkedHashMap<>();
        asked.forEach(one ->
                byNode.computeIfAbsent(one.node(), node -> new ArrayList<>()).add(one));
        List<String> sentences = new ArrayList<>();
        List<String> unheard = new ArrayList<>();
        byNode.forEach((node, instances) -> {
            List<Asked> silent =
                    instances.stream().filter(one -> !one.answered()).toList();
            boolean isMissing = silent.size() == instances.size();
            if (isMissing && problem != null) {
                unheard.add(Words.text(node));
            } else if (isMissing) {
                sentences.add(
                        Words.sentence("What %s knows is missing here: %s".formatted(Words.text(node), all(silent))));
            } else if (!silent.isEmpty() && problem == null) {
                sentences.add(Words.sentence(
                        "Of %s, some instances have not answered: %s".formatted(Words.text(node), all(silent))));
            }
            instances.stream()
                    .filter(one -> one.answered() && one.note() != null)
                    .forEach(one -> sentences.add(Words.sentence(one(one))));
        });
        if (!unheard.isEmpty()) {
            sentences.add("Not asked, or not heard: %s.".formatted(Words.join(cut(unheard, "node"), "and")));
        }
        return cut(sentences, "such sentence");
    }

    private static List<String> cut(List<String> texts, String what) {
        if (texts.size() <= MOST_NODES) {
            return texts;
        }
        List<String> cut = new ArrayList<>(texts.subList(0, MOST_NODES));
        String more = Words.count(texts.size() - MOST_NODES, "more " + what);
        cut.add(what.equals("node") ? more : "There are %s; `asked` has all.".formatted(more));
        return cut;
    }

    private String all(List<Asked> silent) {
        String some = silent.stream().limit(MOST_INSTANCES).map(this::one).collect(Collectors.joining("; "));
        return silent.size() <= MOST_INSTANCES
                ? some
                : "%s; and %s".formatted(some, Words.count(silent.size() - MOST_INSTANCES, "more instance"));
    }

    /** With when it was last heard, unless that was now. */
    private String one(Asked one) {
        Instant heard = one.lastHeard();
        String note = one.note();
        return "%s%s%s"
                .formatted(
                        one.instance().isEmpty() ? "" : Words.text(one.instance()) + ' ',
                        note == null ? "has not answered" : Words.text(note),
                        heard == null || !words.isPast(heard.plus(LATELY))
                                ? ""
                                : " (last heard at %s)".formatted(words.at(heard)));
    }
}
