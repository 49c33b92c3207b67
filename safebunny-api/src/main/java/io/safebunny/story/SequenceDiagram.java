// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story;

import io.safebunny.story.Story.Event;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes a story as a sequence diagram. Pure. */
final class SequenceDiagram {

    /** More than that Mermaid refuses, unless it is told otherwise. */
    static final int MOST_CHARACTERS = 50_000;

    /** For a line that says what was left out. */
    private static final int ROOM = 200;

    private static final String PLAIN = " .,_-/()";

    private SequenceDiagram() {}

    static String of(Story story) {
        Map<String, String> aliases = new LinkedHashMap<>();
        story.nodes().forEach(part -> alias(aliases, part.node()));
        List<String> events =
                story.timeline().stream().map(event -> line(aliases, event)).toList();
        StringBuilder diagram = new StringBuilder("sequenceDiagram\n");
        aliases.forEach((node, alias) -> diagram.append("    participant ")
                .append(alias)
                .append(" as ")
                .append(escaped(node))
                .append('\n'));
        int from = firstOf(events, MOST_CHARACTERS - diagram.length() - ROOM);
        if (from > 0) {
            diagram.append(
                    "    Note over n0: %s earlier events are left out, because Mermaid draws %s characters at most\n"
                            .formatted(from, MOST_CHARACTERS));
        }
        events.subList(from, events.size())
                .forEach(event -> diagram.append("    ").append(event).append('\n'));
        return diagram.toString();
    }

    /** So that this one and those after it have room. */
    private static int firstOf(List<String> events, int room) {
        int left = room;
        int from = events.size();
        while (from > 0 && left >= events.get(from - 1).length() + 5) {
            from--;
            left -= events.get(from).length() + 5;
        }
        return from;
    }

    private static String line(Map<String, String> aliases, Event event) {
        String text = escaped("%s %s%s"
                .formatted(
                        event.at().truncatedTo(ChronoUnit.SECONDS),
                        event.expected() ? "expected: " : "",
                        event.what()));
        String node = alias(aliases, event.node());
        String from = event.from();
        return from == null
                ? "Note over %s: %s".formatted(node, text)
                : "%s%s%s: %s".formatted(alias(aliases, from), event.expected() ? "-->>" : "->>", node, text);
    }

    private static String alias(Map<String, String> aliases, String node) {
        return aliases.computeIfAbsent(node, name -> "n" + aliases.size());
    }

    /**
     * Letters and digits of ASCII, and punctuation that means nothing to Mermaid, stay; everything else becomes an entity by its number. The
     * word that ends a block is no word any more.
     */
    static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (c < 128 && (Character.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0)) {
                escaped.appendCodePoint(c);
            } else {
                escaped.append('#').append(c).append(';');
            }
        });
        return escaped.toString().replaceAll("(?i)\\b(e)(nd)\\b", "#101;$2").strip();
    }
}
