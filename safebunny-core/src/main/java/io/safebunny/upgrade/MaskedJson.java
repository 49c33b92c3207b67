// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.JsonProbe;
import io.safebunny.serialization.json.JsonProbe.Found;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Masks what one class reads, so that it reads the mask as well. Thread-safe.
 *
 * @param what its type or saga, for what is left out
 * @param type the class
 * @param probe reads as the class is read
 * @param upgrade a document of an earlier version, as the present one has it
 * @param reading reads a stored document as it is read in production; throws if that cannot be done
 */
record MaskedJson(
        String what, Type type, JsonProbe probe, UnaryOperator<JsonNode> upgrade, Consumer<JsonNode> reading) {

    /** Two attempts: what one class refuses because it is too small or in the past, it may take from the other. */
    private static final List<Character> DIGITS = List.of('1', '9');

    private static final String UNREADABLE = "cannot be read by this version either";
    private static final String MASKED = "cannot be read as before once its values are masked";
    private static final String NAMES = "has too many names that only its version knew";
    private static final String UNREAD = "is read by nothing in this version";

    /**
     * @param shown what the application's masker shows of it
     * @param isPresent whether it is of the version that the class reads
     * @return {@code null} if it is left out
     */
    @Nullable
    JsonNode of(JsonNode stored, JsonNode shown, boolean isPresent, Omissions omissions) {
        Found found;
        Set<String> constants = new HashSet<>();
        Set<String> names = new HashSet<>();
        try {
            reading.accept(stored);
            JsonNode present = upgrade.apply(stored.deepCopy());
            found = probed(present);
            if (!isPresent) {
                collect(constants, names, found, present, "");
                if (!new UpcastNames(upgrade, present).addTo(names, stored)) {
                    omissions.add(what, NAMES);
                    return null;
                }
            }
        } catch (Throwable e) { // from a constructor, static initializer or upcaster of the application
            omissions.add(what, UNREADABLE);
            return null;
        }
        Set<String> unread = isPresent ? Set.of() : unread(found);
        for (char digit : DIGITS) {
            JsonNode masked = new ShapeMask(found, constants, names, isPresent, digit).masked(stored, shown);
            if (isRead(masked, unread)) {
                if (isPresent) {
                    found.unread().forEach(place -> omissions.add(what + "." + found.masked(place), UNREAD));
                }
                return masked;
            }
        }
        omissions.add(what, MASKED);
        return null;
    }

    private Found probed(JsonNode present) {
        return probe.read(ExactTree.write(present).getBytes(StandardCharsets.UTF_8), type);
    }

    /** Places with something that nothing reads. */
    private static Set<String> unread(Found found) {
        return found.unread().stream()
                .map(place -> found.masked(place.substring(0, place.lastIndexOf('/'))))
                .collect(Collectors.toSet());
    }

    private boolean isRead(JsonNode masked, Set<String> unread) {
        try {
            reading.accept(masked);
            return unread(probed(upgrade.apply(masked.deepCopy()))).equals(unread);
        } catch (Throwable e) { // as above
            return false;
        }
    }

    /** Constants and names of properties in a document that the class reads. */
    private static void collect(Set<String> constants, Set<String> names, Found found, JsonNode tree, String place) {
        if (tree.isObject()) {
            for (Map.Entry<String, JsonNode> field : tree.properties()) {
                String name = field.getKey();
                if (found.isKnown(place, name)) {
                    names.add(name);
                }
                String at = place + '/' + name.replace("~", "~0").replace("/", "~1");
                collect(constants, names, found, field.getValue(), at);
            }
        }
        for (int i = 0; tree.isArray() && i < tree.size(); i++) {
            collect(constants, names, found, tree.get(i), place + '/' + i);
        }
        if (tree.isString() && found.isConstant(place, tree)) {
            constants.add(tree.asString());
        }
    }
}
