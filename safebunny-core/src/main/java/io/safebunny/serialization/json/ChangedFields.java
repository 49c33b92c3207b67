// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** Compares two JSON forms of the same value, written at different times. Pure. */
final class ChangedFields {

    private ChangedFields() {}

    /**
     * Those of the names whose value has changed. Arrays are compared ignoring order, because a set may be written in another
     * order.
     */
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

    /** Whether anything but these names has changed. */
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
