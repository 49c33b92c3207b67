// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.serialization.json.StateFormat;
import io.safebunny.serialization.json.StateFormat.Reading;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Finds fields that were probably renamed: the stored state has one that nothing reads, and the class has one that is not stored
 * and would therefore be {@code null}. Missing numbers and other primitives need no check, because reading them fails. Pure.
 */
final class RenamedFields {

    private RenamedFields() {}

    /** Description of the first such object; {@code null} if there is none. */
    static @Nullable String find(JsonNode stored, Reading reading) {
        return reading.unread().isEmpty()
                ? null
                : find("", stored, StateFormat.write(reading.value()), reading.unread());
    }

    private static @Nullable String find(String where, JsonNode stored, JsonNode known, Set<String> unread) {
        if (stored.isArray() && known.isArray() && stored.size() == known.size()) {
            for (int i = 0; i < stored.size(); i++) {
                String found = find(where + "[]", stored.get(i), known.get(i), unread);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
        if (!stored.isObject() || !known.isObject()) {
            return null;
        }
        List<String> missing = known.propertyNames().stream()
                .filter(name -> !stored.has(name) && known.get(name).isNull())
                .toList();
        List<String> others =
                stored.propertyNames().stream().filter(name -> !known.has(name)).toList();
        List<String> unknown = others.stream().filter(unread::contains).toList();
        int readByAnotherName = others.size() - unknown.size();
        if (!unknown.isEmpty() && missing.size() > readByAnotherName) {
            return "%s would be null, and nothing reads %s".formatted(within(where, missing), within(where, unknown));
        }
        for (String name : stored.propertyNames()) {
            String found =
                    known.has(name) ? find(within(where, name), stored.get(name), known.get(name), unread) : null;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static List<String> within(String where, List<String> names) {
        return names.stream().map(name -> within(where, name)).toList();
    }

    private static String within(String where, String name) {
        return where.isEmpty() ? name : where + "." + name;
    }
}
