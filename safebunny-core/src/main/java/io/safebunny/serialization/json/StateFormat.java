// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * States of sagas to JSON and back, by Jackson's defaults and not by the application's mapper. Numbers come back as they were; halves of
 * characters are refused; and a reading tells what no part of the state's class has read. Thread-safe.
 */
public final class StateFormat {

    private static final JsonMessageSerializer JSON = JsonMessageSerializer.ofStates();

    private StateFormat() {}

    /** @return why values of this type cannot be stored as objects and read back, as far as Jackson knows; {@code null} if they can */
    public static @Nullable String flaw(Type type) {
        try {
            return JSON.writesObjects(type) ? JSON.whyUnreadable(type) : "it does not become a JSON object";
        } catch (ConfigurationException e) {
            return e.problem() + " " + e.action();
        } catch (JacksonException e) {
            return JsonReason.ofWriting(e);
        }
    }

    /** @throws SerializationException it cannot be written as JSON */
    public static JsonNode write(Object state) {
        try {
            return ExactTree.read(JSON.serialize(state));
        } catch (JacksonException e) {
            throw new SerializationException(
                    "Cannot write %s as JSON: %s".formatted(state.getClass().getName(), JsonReason.ofWriting(e)), e);
        }
    }

    /** @throws SerializationException it is no JSON */
    public static JsonNode parse(byte[] json) {
        Object unused = JSON.deserialize(json, JsonNode.class); // with all its refusals
        return ExactTree.read(json);
    }

    /** @throws SerializationException it is not what the type reads */
    public static Reading read(JsonNode stored, Type type) {
        UnreadFields unread = new UnreadFields();
        return new Reading(JSON.deserialize(JSON.serialize(stored), type, unread), unread);
    }

    /**
     * Of what has just been written, and not of what another version wrote. What nobody reads may come back by itself: a sum, a question.
     *
     * @throws SerializationException it would not come back as it is
     */
    public static void requireReadable(Object state, JsonNode written, Type type) {
        Reading reading = read(written, type);
        if (reading.unread().isEmpty()) {
            return;
        }
        Set<String> lost = ChangedFields.among(reading.unread(), written, write(reading.value()));
        if (!lost.isEmpty()) {
            lost.removeAll(ChangedFields.among(lost, written, write(state))); // those that change with the clock
        }
        if (!lost.isEmpty()) {
            throw new SerializationException(
                    "Cannot read JSON as %s: it writes %s, and does not read that. Fields of a subclass come back if @JsonTypeInfo says which it is"
                            .formatted(type.getTypeName(), lost),
                    null);
        }
    }

    /** Whether a state has become another one since it was written, and not merely later. */
    public static boolean isChanged(JsonNode written, Object state, Type type) {
        JsonNode now = write(state);
        if (now.equals(written)) {
            return false;
        }
        Reading before = read(written, type);
        return ChangedFields.areBeside(
                ChangedFields.among(before.unread(), written, write(before.value())), written, now);
    }

    static JsonMapper mapper() {
        return UnreadModule.addTo(JsonMessageSerializer.keepingZones().rebuild())
                .build();
    }

    /** What was read, and what was left. Confined to one thread. */
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

        /** Names of fields that nobody reads, wherever they are. */
        public Set<String> unread() {
            return unread.names();
        }

        /** The value, written again, with each field that nobody has read in the object from which it came. */
        public JsonNode written() {
            return ExactTree.read(JSON.serialize(value, unread));
        }

        /** Those that {@link #written} could not place, because the value holds other objects than were read into it. */
        public Set<String> unplaced() {
            return unread.unwritten();
        }
    }
}
