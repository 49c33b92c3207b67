// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident.writing;

import io.safebunny.serialization.json.ExactTree;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lays JSON out in lines, and changes nothing but blanks between its tokens. Pure. */
public final class JsonLayout {

    private static final String STEP = "  ";

    /** What is deep or has many small values becomes much longer: up to this length, or twice its own if that is more. */
    private static final int LONGEST = 256 * 1024;

    /** Refuses what {@link ExactTree} would overlook after the value. */
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private JsonLayout() {}

    /** The same in lines, or the text itself if it is not JSON, because what is wrong with it must stay, or would become too long. */
    public static String lines(String text) {
        JsonNode tree = tree(text);
        String lines = tree == null ? null : laidOut(text);
        return lines != null && tree != null && tree.equals(tree(lines)) ? lines : text;
    }

    /** {@code null} if it is not one JSON value. */
    public static @Nullable JsonNode tree(String text) {
        try {
            return STRICT.readTree(text).isMissingNode() ? null : ExactTree.read(text);
        } catch (JacksonException e) {
            return null;
        }
    }

    /** {@code null} if it becomes too long. */
    private static @Nullable String laidOut(String json) {
        long longest = Math.max(LONGEST, 2L * json.length());
        StringBuilder lines = new StringBuilder();
        int depth = 0;
        boolean isInText = false;
        for (int i = 0; i < json.length(); i++) {
            if (lines.length() > longest) {
                return null;
            }
            char c = json.charAt(i);
            if (isInText) {
                lines.append(c);
                if (c == '\\' && i + 1 < json.length()) {
                    lines.append(json.charAt(++i));
                }
                isInText = c != '"';
            } else if (c == '{' || c == '[') {
                lines.append(c);
                if (closesAt(json, i) > 0) {
                    i = closesAt(json, i);
                    lines.append(json.charAt(i));
                } else {
                    breakLine(lines, ++depth);
                }
            } else if (c == '}' || c == ']') {
                breakLine(lines, --depth);
                lines.append(c);
            } else if (c == ',') {
                lines.append(c);
                breakLine(lines, depth);
            } else if (!Character.isWhitespace(c)) {
                lines.append(c == ':' ? ": " : String.valueOf(c));
                isInText = c == '"';
            }
        }
        return lines.toString();
    }

    /** Where an empty object or array ends; 0 if it is not empty. */
    private static int closesAt(String json, int from) {
        int at = from + 1;
        while (at < json.length() && Character.isWhitespace(json.charAt(at))) {
            at++;
        }
        return at < json.length() && (json.charAt(at) == '}' || json.charAt(at) == ']') ? at : 0;
    }

    private static void breakLine(StringBuilder lines, int depth) {
        lines.append('\n').append(STEP.repeat(Math.max(0, depth)));
    }
}
