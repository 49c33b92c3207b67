// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** Compares what a value was written as at different times. Pure. */
final class ChangedFields {

    private ChangedFields() {}

    /** Which of these names stand for another value now. An element of a set may stand elsewhere. */
    static Set<String> among(Set<String> names, JsonNode was, JsonNode is) {
        Set<String> changed = new TreeSet<>();
        was.properties().forEach(field -> {
            String name = field.getKey();
            JsonNode now = is.path(name);
            if (!names.contains(name)) {
                changed.addAll(among(names, field.getValue(), now));
            } else if (!field.getValue().equals(now)) {
                changed.add(name);
            }
        });
        for (int i = 0; was.isArray() && i < was.size(); i++) {
            Set<String> within = among(names, was.get(i), is.path(i));
            if (!within.isEmpty() && is.values().stream().noneMatch(was.get(i)::equals)) {
                changed.addAll(within);
            }
        }
        return changed;
    }

    /** Whether anything else is another value now. */
    static boolean areBeside(Set<String> names, JsonNode was, JsonNode is) {
        return !without(names, was).equals(without(names, is));
    }

    private static JsonNode without(Set<String> names, JsonNode tree) {
        JsonNode rest = tree.deepCopy();
        names.forEach(name ->
                rest.findParents(name).forEach(object -> object.asObject().remove(name)));
        return rest;
    }
}
