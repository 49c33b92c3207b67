// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.serialization.json.StateFormat;
import io.safebunny.serialization.json.StateFormat.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps fields that another version of the application wrote and this one does not read. They stay attached to their object, so
 * they survive even if a field around it is renamed. Pure.
 */
final class UnknownFields {

    private UnknownFields() {}

    /**
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
     * @param known the stored object as this version reads it and writes it again
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

    /** Array elements have no names, so an unchanged element is matched with its stored form at whatever index. */
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
                // changed without moving
                all.add(merged(stored.get(i), known.get(i), now, isUnknown));
            } else {
                all.add(now);
            }
        }
        return all;
    }
}
