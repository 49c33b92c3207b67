// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeDeserializer;

/**
 * Finds out what a class makes of a JSON document, by reading it: which objects have properties and which have keys that are data, which texts
 * are constants, and which properties nothing reads. Jackson itself tells, so names, aliases, creators, builders and subclasses are as
 * the mapper has them. It reads more slowly than a message is read. Thread-safe.
 */
public final class JsonProbe {

    private static final Pattern ELEMENT = Pattern.compile("\\d+");

    private final JsonMapper mapper;

    private JsonProbe(JsonMapper strict) {
        this.mapper = ProbingMapper.of(strict);
    }

    /** Reads as messages are read. */
    public static JsonProbe of(JsonMessageSerializer messages) {
        return new JsonProbe(messages.mapper());
    }

    /** Reads as states of sagas are read. */
    public static JsonProbe ofStates() {
        return new JsonProbe(JsonMessageSerializer.ofStates().mapper());
    }

    /** @throws SerializationException if the type cannot be read from it */
    public Found read(byte[] json, Type type) {
        Found found = readOnce(json, type);
        if (found.typeNames.isEmpty()) {
            return found;
        }
        // what is before the name of a subclass is read from a buffer, which knows no places
        JsonNode ordered = SubclassNames.first(found.typeNames, ExactTree.read(json));
        return readOnce(ExactTree.write(ordered).getBytes(StandardCharsets.UTF_8), type);
    }

    private Found readOnce(byte[] json, Type type) {
        Found found = new Found(mapper);
        try {
            found.value = mapper.readerFor(mapper.constructType(type))
                    .withAttribute(Found.class, found)
                    .readValue(json);
            return found;
        } catch (JacksonException e) {
            throw new SerializationException(
                    "Cannot read JSON as %s: %s"
                            .formatted(type.getTypeName(), JsonReason.ofReading(e, place -> mapper.reader()
                                    .at(place)
                                    .readTree(json))),
                    null);
        } finally {
            UnknownNames.forget();
        }
    }

    /** What was found out, by places in the document: JSON pointers. Confined to one thread. */
    public static final class Found {

        final Set<String> unread = new HashSet<>();
        final Deque<String> within = new ArrayDeque<>();
        private final JsonMapper mapper;
        private @Nullable Object value;
        private final Map<String, Names> objects = new HashMap<>();
        private final Map<String, Predicate<String>> constants = new HashMap<>();
        private final Map<Class<?>, Set<String>> enums = new HashMap<>();
        private final Set<String> keys = new HashSet<>();
        private final Set<String> typeNames = new HashSet<>();
        private final Set<String> typePlaces = new HashSet<>();

        private Found(JsonMapper mapper) {
            this.mapper = mapper;
        }

        /**
         * Of an object.
         *
         * @param properties which it has
         * @param takesOthers whether other names are data
         */
        record Names(Predicate<String> properties, boolean takesOthers) {

            private Names or(Names other) {
                return new Names(properties.or(other.properties), takesOthers && other.takesOthers);
            }
        }

        static @Nullable Found of(DeserializationContext context) {
            return (Found) context.getAttribute(Found.class);
        }

        /** What was read; {@code null} if that is nothing. */
        public @Nullable Object value() {
            return value;
        }

        /** Properties that nothing reads. */
        public Set<String> unread() {
            return Set.copyOf(unread);
        }

        /** Whether the name in the object there is that of a property, read or not, rather than data. */
        public boolean isProperty(String object, String name) {
            Names names = objects.get(object);
            return names != null && (!names.takesOthers || isKnown(object, name));
        }

        /** Whether the class of the object there has a property of that name, an ignored one included. */
        public boolean isKnown(String object, String name) {
            Names names = objects.get(object);
            return (names != null && names.properties.test(name)) || typePlaces.contains(object + '/' + escaped(name));
        }

        /** Whether a key that is data must be what it is, because it is a constant. */
        public boolean isConstantKey(String key) {
            return keys.contains(key);
        }

        /** Whether the value there must be what it is: a constant of an enum, or the registered name of a subclass. */
        public boolean isConstant(String place, JsonNode value) {
            Predicate<String> names = constants.get(place);
            return names != null && (value.isString() || value.isIntegralNumber()) && names.test(value.asString());
        }

        /** A place as people write it: without numbers of elements, and with a star for keys that are data. */
        public String named(String place) {
            return named(place, this::isProperty);
        }

        /** The same, with a star also for names that the class does not have: they may be data of another version. */
        public String masked(String place) {
            return named(place, this::isKnown);
        }

        private static String named(String place, BiPredicate<String, String> names) {
            StringBuilder named = new StringBuilder();
            StringBuilder above = new StringBuilder();
            for (String part : place.isEmpty()
                    ? List.<String>of()
                    : List.of(place.substring(1).split("/", -1))) {
                String name = part.replace("~1", "/").replace("~0", "~");
                boolean isProperty = names.test(above.toString(), name);
                if (isProperty || !ELEMENT.matcher(part).matches()) {
                    named.append(named.isEmpty() ? "" : ".").append(isProperty ? name : "*");
                }
                above.append('/').append(part);
            }
            return named.toString();
        }

        /** @return where the object is that is about to be read; empty if it is none */
        String addObject(JsonParser parser, Names names) {
            String place = object(parser);
            if (place == null) {
                return "";
            }
            objects.merge(place, names, Names::or);
            return place;
        }

        private static @Nullable String object(JsonParser parser) {
            TokenStreamContext own = parser.streamReadContext();
            boolean isObject = parser.currentToken() == JsonToken.START_OBJECT
                    || parser.currentToken() == JsonToken.PROPERTY_NAME
                    || parser.currentToken() == JsonToken.END_OBJECT;
            return isObject && own.inObject() ? pointer(own.getParent()) : null;
        }

        /** What is inlined into the object that is being read. */
        void addInlined(Names names) {
            if (!within.isEmpty()) {
                objects.merge(within.element(), names, Names::or);
            }
        }

        void addType(JsonParser parser, TypeDeserializer type, DeserializationContext context) {
            Predicate<String> registered = id -> SubclassNames.isRegistered(id, type.getTypeIdResolver(), context);
            if (type.getTypeInclusion() == JsonTypeInfo.As.WRAPPER_OBJECT) {
                String unused = addObject(parser, new Names(registered, false));
            } else if (type.getTypeInclusion() == JsonTypeInfo.As.WRAPPER_ARRAY) {
                addConstant(pointer(parser.streamReadContext().getParent()) + "/0", registered);
            } else if (type.getPropertyName() != null) {
                typeNames.add(type.getPropertyName());
                boolean isBeside = type.getTypeInclusion() == JsonTypeInfo.As.EXTERNAL_PROPERTY;
                String object = isBeside ? within.peek() : object(parser);
                if (object != null) {
                    String place = object + '/' + escaped(type.getPropertyName());
                    typePlaces.add(place);
                    addConstant(place, registered);
                }
            }
        }

        void addConstant(JsonParser parser, Class<?> type) {
            TokenStreamContext own = parser.streamReadContext();
            JsonToken token = parser.currentToken();
            String place = pointer(token != null && token.isStructStart() ? own.getParent() : own);
            addConstant(place, constants(type)::contains);
        }

        private void addConstant(String place, Predicate<String> names) {
            constants.merge(place, names, Predicate::or);
        }

        void addKey(String key, Class<?> type) {
            if (constants(type).contains(key)) {
                keys.add(key);
            }
        }

        private Set<String> constants(Class<?> type) {
            return enums.computeIfAbsent(type, unused -> EnumNames.of(type, mapper));
        }
    }

    static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    private static String pointer(@Nullable TokenStreamContext context) {
        return context == null ? "" : context.pathAsPointer().toString();
    }
}
