// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story;

import io.safebunny.story.Story.Event;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes a story as a sequence diagram. Pure. */
final class SequenceDiagram {

    private static final String PLAIN = " .,_-/()";

    private SequenceDiagram() {}

    static String of(Story story) {
        Map<String, String> aliases = new LinkedHashMap<>();
        story.nodes().forEach(part -> alias(aliases, part.node()));
        StringBuilder events = new StringBuilder();
        for (Event event : story.timeline()) {
            events.append("    ").append(line(aliases, event)).append('\n');
        }
        StringBuilder diagram = new StringBuilder("sequenceDiagram\n");
        aliases.forEach((node, alias) -> diagram.append("    participant ")
                .append(alias)
                .append(" as ")
                .append(escaped(node))
                .append('\n'));
        return diagram.append(events).toString();
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
