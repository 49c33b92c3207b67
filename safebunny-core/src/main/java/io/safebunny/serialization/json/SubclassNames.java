// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.jsontype.TypeIdResolver;
import tools.jackson.databind.jsontype.impl.SimpleNameIdResolver;
import tools.jackson.databind.jsontype.impl.TypeNameIdResolver;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Properties that name the subclass of their object. Pure. */
final class SubclassNames {

    private SubclassNames() {}

    /** Whether a text is the name of a subclass, rather than one for which a default is taken. */
    static boolean isRegistered(String id, TypeIdResolver names, DatabindContext context) {
        try {
            JavaType type = names.typeFromId(context, id);
            return type != null
                    && (names.getClass() == TypeNameIdResolver.class
                            || names.getClass() == SimpleNameIdResolver.class
                            || type.getRawClass().getName().endsWith(id));
        } catch (JacksonException e) {
            return false;
        }
    }

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
