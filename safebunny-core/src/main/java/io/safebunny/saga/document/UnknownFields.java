// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.serialization.json.StateFormat;
import io.safebunny.serialization.json.StateFormat.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Fields of a stored state that another version of the application wrote and this one does not read. Pure. */
final class UnknownFields {

    private UnknownFields() {}

    /**
     * Adds the unknown fields of the stored state to the new one. They stay attached to the object that they belong to, so they survive
     * even if a field that contains it is renamed.
     *
     * @param stored the stored state
     * @param reading what this version read from it
     * @param written the new state as this version writes it
     * @return the new state with the unknown fields of the stored one
     */
    static ObjectNode keep(ObjectNode stored, Reading reading, ObjectNode written) {
        if (reading.unread().isEmpty()
                || !(StateFormat.write(reading.value()) instanceof ObjectNode known)
                || !(reading.written() instanceof ObjectNode carried)) {
            return written;
        }
        ObjectNode all = keep(carried, known, written, name -> true);
        Set<String> unplaced = reading.unplaced();
        return unplaced.isEmpty() ? all : keep(stored, known, all, unplaced::contains);
    }

    /**
     * @param carried the stored object
     * @param known the stored object, as this version reads it and writes it back
     */
    static ObjectNode keep(ObjectNode carried, ObjectNode known, ObjectNode written, Predicate<String> isUnknown) {
        ObjectNode all = written.deepCopy();
        carried.properties().forEach(field -> {
            String name = field.getKey();
            JsonNode now = written.get(name);
            JsonNode before = known.get(name);
            if (now == null && before == null && isUnknown.test(name)) {
                all.set(name, field.getValue().deepCopy());
            } else if (now != null && before != null) {
                all.set(name, merged(field.getValue(), before, now, isUnknown));
            }
        });
        return all;
    }

    private static JsonNode merged(JsonNode stored, JsonNode known, JsonNode written, Predicate<String> isUnknown) {
        if (stored instanceof ObjectNode was && known instanceof ObjectNode read && written instanceof ObjectNode now) {
            return keep(was, read, now, isUnknown);
        }
        if (stored instanceof ArrayNode was && known instanceof ArrayNode read && written instanceof ArrayNode now) {
            return merged(was, read, now, isUnknown);
        }
        return written;
    }

    /** Merges arrays. Their elements have no names, so an unchanged element is matched with its stored form at any index. */
    private static ArrayNode merged(ArrayNode stored, ArrayNode known, ArrayNode written, Predicate<String> isUnknown) {
        if (stored.size() != known.size()) {
            return written;
        }
        List<Integer> unused = new ArrayList<>();
        for (int i = 0; i < known.size(); i++) {
            unused.add(i);
        }
        ArrayNode all = written.arrayNode();
        for (int i = 0; i < written.size(); i++) {
            JsonNode now = written.get(i);
            Integer same = unused.stream()
                    .filter(index -> known.get(index).equals(now))
                    .findFirst()
                    .orElse(null);
            if (same != null) {
                unused.remove(same);
                all.add(stored.get(same));
            } else if (written.size() == known.size() && unused.remove((Integer) i)) {
                // the element was changed, but not moved
                all.add(merged(stored.get(i), known.get(i), now, isUnknown));
            } else {
                all.add(now);
            }
        }
        return all;
    }

    /**
     * Finds an object with a field that was probably renamed: the stored object has a field that nothing reads, and the class has one that
     * is not stored and would be {@code null}. Missing numbers and other primitives need no check, because reading such an object fails.
     *
     * @return description of the first such object; {@code null} if there is none
     */
    static @Nullable String renamed(JsonNode stored, Reading reading) {
        return reading.unread().isEmpty()
                ? null
                : renamed("", stored, StateFormat.write(reading.value()), reading.unread());
    }

    private static @Nullable String renamed(String where, JsonNode stored, JsonNode known, Set<String> unread) {
        if (stored.isArray() && known.isArray() && stored.size() == known.size()) {
            for (int i = 0; i < stored.size(); i++) {
                String found = renamed(where + "[]", stored.get(i), known.get(i), unread);
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
                    known.has(name) ? renamed(within(where, name), stored.get(name), known.get(name), unread) : null;
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
