// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A body or a state as a user sees it.
 *
 * @param text what is shown, or, in a sentence, why it is not
 * @param shown whether it is shown
 * @param masked whether the text differs from what is stored, so that nobody may write it back. JSON that is only written in another way
 *     does not differ
 */
public record Content(String text, boolean shown, boolean masked) {

    /** How sentences begin that stand for a content. */
    private static final String NOT_SHOWN = "not shown: ";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /**
     * A value that a mask has made.
     *
     * @param path names that lead to it; elements of arrays have none
     */
    private record Mask(String path, JsonNode value) {}

    /** @param stored as it is stored, decoded */
    public static Content of(String text, byte[] stored) {
        boolean isWhole = Arrays.equals(text.getBytes(StandardCharsets.UTF_8), stored) || isSameJson(text, stored);
        return new Content(text, isWhole || !text.startsWith(NOT_SHOWN), !isWhole);
    }

    private static boolean isSameJson(String text, byte[] stored) {
        JsonNode tree = tree(stored);
        return tree != null && tree.equals(tree(text.getBytes(StandardCharsets.UTF_8)));
    }

    public static Content notShown(String why) {
        return new Content(NOT_SHOWN + why, false, false);
    }

    /** Adds what may be shown under the given name, and whether it is shown and masked. */
    public void addTo(Map<String, Object> view, String name) {
        view.put("shown", shown);
        view.put("masked", masked);
        view.put(name, text);
    }

    /** Tells that a content is not even asked for, or that its user may not see it. */
    public static void addNone(Map<String, Object> view) {
        view.put("shown", false);
        view.put("masked", false);
    }

    /** Refuses a sentence that stands for a content as a new content. */
    public static void requireNoSentence(String what, String given) {
        if (given.startsWith(NOT_SHOWN)) {
            throw Asked.wrong(what, "given", "it is what this endpoint shows instead of one. Give the real one");
        }
    }

    /**
     * Refuses a new content that has in it what the mask shows instead of a value: it would replace the value for good. Values that are left
     * out, or differ from the mask, are taken.
     *
     * @param what name of the parameter
     * @param stored as it is stored, decoded; {@code null} if it cannot be had
     * @throws MisuseException SB-5001, also if nobody can tell what the mask shows
     */
    public void requireNoMask(String what, byte @Nullable [] stored, String given) {
        if (stored == null || (!shown && !masked)) {
            throw Asked.wrong(
                    what,
                    "given",
                    "what is stored cannot be compared with its mask, because it is %s. Nothing was changed; mend that first"
                            .formatted(text));
        }
        if (!masked) {
            return;
        }
        String where = maskIn(stored, given);
        if (where != null) {
            throw Asked.wrong(
                    what,
                    "given",
                    "it has what the BodyMasker shows instead of the value of %s. Give the real value, or leave it out"
                            .formatted(Names.printable(where)));
        }
    }

    private @Nullable String maskIn(byte[] stored, String given) {
        JsonNode seen = tree(text.getBytes(StandardCharsets.UTF_8));
        JsonNode original = tree(stored);
        JsonNode written = tree(given.getBytes(StandardCharsets.UTF_8));
        if (seen == null || original == null || written == null) {
            return lineIn(stored, given) ? "a line" : null;
        }
        Set<Mask> masks = new HashSet<>();
        collect(masks, "", seen, original);
        return find(masks, "", written);
    }

    /** Whether a line that the mask has made is in the text. */
    private boolean lineIn(byte[] stored, String given) {
        Set<String> lines = text.lines().filter(line -> !line.isBlank()).collect(Collectors.toSet());
        new String(stored, StandardCharsets.UTF_8).lines().forEach(lines::remove);
        return given.lines().anyMatch(lines::contains);
    }

    private static void collect(Set<Mask> masks, String path, JsonNode seen, JsonNode original) {
        if (seen.equals(original)) {
            return;
        }
        if (seen.isObject() && original.isObject()) {
            seen.propertyNames()
                    .forEach(name -> collect(masks, below(path, name), seen.path(name), original.path(name)));
        } else if (seen.isArray() && original.isArray() && seen.size() == original.size()) {
            for (int i = 0; i < seen.size(); i++) {
                collect(masks, path, seen.path(i), original.path(i));
            }
        } else {
            masks.add(new Mask(path, seen));
        }
    }

    private static @Nullable String find(Set<Mask> masks, String path, JsonNode written) {
        if (masks.contains(new Mask(path, written))) {
            return path.isEmpty() ? "the whole" : path;
        }
        if (written.isObject()) {
            for (String name : written.propertyNames()) {
                String found = find(masks, below(path, name), written.path(name));
                if (found != null) {
                    return found;
                }
            }
        }
        if (written.isArray()) {
            for (JsonNode element : written) {
                String found = find(masks, path, element);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private static String below(String path, String name) {
        return path.isEmpty() ? name : path + '.' + name;
    }

    /** {@code null} if it is no JSON. */
    private static @Nullable JsonNode tree(byte[] text) {
        try {
            JsonNode tree = JSON.readTree(text);
            return tree.isMissingNode() ? null : tree;
        } catch (JacksonException e) {
            return null;
        }
    }
}
