// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts saga states to JSON and back with Jackson's defaults instead of the application's mapper. Numbers come back unchanged,
 * halves of characters are refused, and a {@link Reading} reports the fields that the state's class does not read. Thread-safe.
 */
public final class StateFormat {

    private static final JsonMessageSerializer JSON = JsonMessageSerializer.ofStates();

    private StateFormat() {}

    /**
     * @return why values of this type cannot be stored as JSON objects and read back; {@code null} if Jackson expects that they
     *     can
     */
    public static @Nullable String flaw(Type type) {
        try {
            return JSON.writesObjects(type) ? JSON.whyUnreadable(type) : "it does not become a JSON object";
        } catch (ConfigurationException e) {
            return e.problem() + " " + e.action();
        } catch (JacksonException e) {
            return JsonReason.ofWriting(e);
        }
    }

    /** @throws SerializationException if it cannot be written as JSON */
    public static JsonNode write(Object state) {
        try {
            return ExactTree.read(JSON.serialize(state));
        } catch (JacksonException e) {
            throw new SerializationException(
                    "Cannot write %s as JSON: %s".formatted(state.getClass().getName(), JsonReason.ofWriting(e)), e);
        }
    }

    /** @throws SerializationException if it is not JSON */
    public static JsonNode parse(byte[] json) {
        // read only for the checks, because this does not keep numbers unchanged
        Object unused = JSON.deserialize(json, JsonNode.class);
        return ExactTree.read(json);
    }

    /** @throws SerializationException if the type cannot be read from it */
    public static Reading read(JsonNode stored, Type type) {
        UnreadFields unread = new UnreadFields();
        return new Reading(JSON.deserialize(JSON.serialize(stored), type, unread), unread);
    }

    /**
     * Call with a state that has just been written, not with one from another version. Fields that nothing reads are accepted if the class
     * computes them anyway, such as a sum.
     *
     * @throws SerializationException if the state would come back changed
     */
    public static void requireReadable(Object state, JsonNode written, Type type) {
        Reading reading = read(written, type);
        if (reading.unread().isEmpty()) {
            return;
        }
        Set<String> lost = changedAmong(reading.unread(), written, write(reading.value()));
        if (!lost.isEmpty()) {
            // accept fields that change with the clock
            lost.removeAll(changedAmong(lost, written, write(state)));
        }
        if (!lost.isEmpty()) {
            throw new SerializationException(
                    "Cannot read JSON as %s: it writes %s but does not read that. Add a setter or a constructor parameter of that name; for fields of a subclass, add @JsonTypeInfo"
                            .formatted(type.getTypeName(), lost),
                    null);
        }
    }

    /** Whether a state has changed since it was written, ignoring fields that depend only on the time. */
    public static boolean isChanged(JsonNode written, Object state, Type type) {
        JsonNode now = write(state);
        if (now.equals(written)) {
            return false;
        }
        Reading before = read(written, type);
        return hasChangedBeside(changedAmong(before.unread(), written, write(before.value())), written, now);
    }

    static JsonMapper mapper() {
        return UnreadFields.collectedBy(JsonMessageSerializer.keepingZones().rebuild())
                .build();
    }

    /**
     * The names among these whose value has changed. Arrays are compared regardless of order, because a set may be written in another
     * order.
     */
    private static Set<String> changedAmong(Set<String> names, JsonNode was, JsonNode is) {
        Set<String> changed = new TreeSet<>();
        was.properties().forEach(field -> {
            String name = field.getKey();
            JsonNode now = is.path(name);
            if (!names.contains(name)) {
                changed.addAll(changedAmong(names, field.getValue(), now));
            } else if (!field.getValue().equals(now)) {
                changed.add(name);
            }
        });
        for (int i = 0; was.isArray() && i < was.size(); i++) {
            Set<String> within = changedAmong(names, was.get(i), is.path(i));
            if (!within.isEmpty() && is.values().stream().noneMatch(was.get(i)::equals)) {
                changed.addAll(within);
            }
        }
        return changed;
    }

    private static boolean hasChangedBeside(Set<String> names, JsonNode was, JsonNode is) {
        return !without(names, was).equals(without(names, is));
    }

    private static JsonNode without(Set<String> names, JsonNode tree) {
        JsonNode rest = tree.deepCopy();
        names.forEach(name ->
                rest.findParents(name).forEach(object -> object.asObject().remove(name)));
        return rest;
    }

    /** Result of a reading: the value, and the fields that were not read. Confined to one thread. */
    public static final class Reading {

        private final Object value;
        private final UnreadFields unread;

        private Reading(Object value, UnreadFields unread) {
            this.value = value;
            this.unread = unread;
        }

        public Object value() {
            return value;
        }

        /** Names of fields that nothing reads, at any depth. */
        public Set<String> unread() {
            return unread.names();
        }

        /** The value written again, with each unread field in the object that it came from. */
        public JsonNode written() {
            return ExactTree.read(JSON.serialize(value, unread));
        }

        /** Unread fields that {@link #written} could not place, because the value no longer contains the object they came from. */
        public Set<String> unplaced() {
            return unread.unwritten();
        }
    }
}
