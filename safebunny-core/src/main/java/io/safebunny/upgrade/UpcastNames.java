// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds out which names in a document of an earlier version are those of properties: the ones its upcasters ask for. Where something else is
 * made of the document once a name is masked, the code knows that name; names that are data it treats alike. Immutable.
 *
 * @param upgrade runs the upcasters
 * @param present what they make of the document
 */
record UpcastNames(UnaryOperator<JsonNode> upgrade, JsonNode present) {

    private static final int MOST = 100;

    /** What people call properties; not numbers of accounts, addresses of mail or other keys that code may look into. */
    private static final Pattern NAME = Pattern.compile("(?!.*\\d{4})[A-Za-z_$][A-Za-z0-9_$-]{0,39}");

    /**
     * @param names gets those that are found; what it has already is not asked for
     * @return whether there are few enough to find out
     */
    boolean addTo(Set<String> names, JsonNode stored) {
        Set<String> all = new LinkedHashSet<>();
        collect(stored, all);
        Set<String> asked = all.stream()
                .filter(name -> !names.contains(name) && NAME.matcher(name).matches())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (asked.size() > MOST) {
            return false;
        }
        for (String name : asked) {
            String mask = Shape.of(name, '1');
            while (all.contains(mask)) {
                mask += 'x';
            }
            if (!isAlike(renamed(stored, name, mask), name, mask)) {
                names.add(name);
            }
        }
        return true;
    }

    private boolean isAlike(JsonNode other, String name, String mask) {
        try {
            return sorted(upgrade.apply(other), name, mask).equals(sorted(present, name, mask));
        } catch (Throwable e) { // from an upcaster of the application, which misses the name
            return false;
        }
    }

    private static void collect(JsonNode tree, Set<String> names) {
        tree.properties().forEach(field -> names.add(field.getKey()));
        tree.forEach(each -> collect(each, names));
    }

    private static JsonNode renamed(JsonNode tree, String name, String mask) {
        if (tree instanceof ObjectNode object) {
            ObjectNode renamed = object.objectNode();
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                renamed.set(field.getKey().equals(name) ? mask : field.getKey(), renamed(field.getValue(), name, mask));
            }
            return renamed;
        }
        if (tree instanceof ArrayNode array) {
            ArrayNode renamed = array.arrayNode();
            array.forEach(element -> renamed.add(renamed(element, name, mask)));
            return renamed;
        }
        return tree;
    }

    /** The document as a text in which the mask is the name, also as a value, and order does not matter. */
    private static String sorted(JsonNode tree, String name, String mask) {
        if (tree.isObject()) {
            Map<String, String> fields = new TreeMap<>();
            tree.properties()
                    .forEach(field ->
                            fields.put(field.getKey().replace(mask, name), sorted(field.getValue(), name, mask)));
            return fields.toString();
        }
        if (tree.isArray()) {
            return StreamSupport.stream(tree.spliterator(), false)
                    .map(each -> sorted(each, name, mask))
                    .sorted()
                    .toList()
                    .toString();
        }
        return tree.toString().replace(mask, name);
    }
}
