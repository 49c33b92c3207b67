// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.JsonNode;

/**
 * Collects the fields that nothing reads, by the object whose JSON has them. Jackson itself reports them, so aliases, setters,
 * creators, ignored names and whatever else a class reads count as read. Confined to one thread.
 */
final class UnreadFields {

    private final IdentityHashMap<Object, Map<String, JsonNode>> byObject = new IdentityHashMap<>();
    private final Deque<Map<String, JsonNode>> beingBuilt = new ArrayDeque<>();
    private final Set<String> names = new HashSet<>();
    private final Set<Object> written = java.util.Collections.newSetFromMap(new IdentityHashMap<>());

    /** Those of the current reading or writing. */
    static @Nullable UnreadFields of(DatabindContext context) {
        return (UnreadFields) context.getAttribute(UnreadFields.class);
    }

    void found(@Nullable Object object, String name, JsonNode value) {
        names.add(name);
        if (object != null) {
            byObject.computeIfAbsent(object, one -> new LinkedHashMap<>()).put(name, value);
        }
    }

    /** Records a field of an object that is read by a builder. */
    void foundByBuilder(String name, JsonNode value) {
        names.add(name);
        beingBuilt.element().put(name, value);
    }

    void beginBuilding() {
        beingBuilt.push(new LinkedHashMap<>());
    }

    void built(@Nullable Object object) {
        Map<String, JsonNode> fields = beingBuilt.pop();
        if (object != null) {
            fields.forEach((name, value) -> found(object, name, value));
        }
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    Set<String> names() {
        return Set.copyOf(names);
    }

    /** Unread fields to write with the object. */
    Map<String, JsonNode> write(Object object) {
        Map<String, JsonNode> fields = byObject.get(object);
        if (fields == null) {
            return Map.of();
        }
        written.add(object);
        return fields;
    }

    /** Names of unread fields whose object was not written, because it has been replaced by another one. */
    Set<String> unwritten() {
        List<Map<String, JsonNode>> left = new ArrayList<>();
        byObject.forEach((object, fields) -> {
            if (!written.contains(object)) {
                left.add(fields);
            }
        });
        Set<String> unwritten = new HashSet<>();
        left.forEach(fields -> unwritten.addAll(fields.keySet()));
        return unwritten;
    }
}
