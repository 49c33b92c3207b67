// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Properties that name the subclass of their object. Pure. */
final class SubclassNames {

    private SubclassNames() {}

    /** The same document, in which they are the first of their objects. */
    static JsonNode first(Set<String> names, JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            ObjectNode ordered = object.objectNode();
            for (boolean isFirst : List.of(true, false)) {
                object.properties().stream()
                        .filter(field -> names.contains(field.getKey()) == isFirst)
                        .forEach(field -> ordered.set(field.getKey(), first(names, field.getValue())));
            }
            return ordered;
        }
        if (tree instanceof ArrayNode array) {
            ArrayNode ordered = array.arrayNode();
            array.forEach(element -> ordered.add(first(names, element)));
            return ordered;
        }
        return tree;
    }
}
