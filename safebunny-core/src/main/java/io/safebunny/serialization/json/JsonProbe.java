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
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.util.LinkedNode;
import tools.jackson.databind.util.NameTransformer;

/**
 * Finds out what a class makes of a JSON document, by reading it: which objects have properties and which have keys that are data, which texts
 * are constants, and which properties nothing reads. Jackson itself tells, so names, aliases, creators, builders and subclasses are as
 * the mapper has them. It reads more slowly than a message is read. Thread-safe.
 */
public final class JsonProbe {

    private static final Pattern ELEMENT = Pattern.compile("\\d+");

    private final JsonMapper mapper;

    private JsonProbe(JsonMapper strict) {
        this.mapper = Probing.of(strict);
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
        Found found = new Found();
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

        private @Nullable Object value;
        private final Map<String, Set<String>> objects = new HashMap<>();
        private final Set<String> unread = new HashSet<>();
        private final Set<String> constants = new HashSet<>();
        private final Set<String> keys = new HashSet<>();
        private final Set<String> typeNames = new HashSet<>();
        private final Deque<String> within = new ArrayDeque<>();

        private Found() {}

        private static @Nullable Found of(DeserializationContext context) {
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

        /** Whether the name in the object there is that of a property, rather than data. */
        public boolean isProperty(String object, String name) {
            Set<String> known = objects.get(object);
            return known != null && (known.isEmpty() || known.contains(name) || typeNames.contains(name));
        }

        /** Whether a key that is data must be what it is, because it is a constant. */
        public boolean isConstantKey(String key) {
            return keys.contains(key);
        }

        /**
         * Whether the value there must be what it is: a constant, or the name of a subclass.
         *
         * @param name of its property; empty for an element
         */
        public boolean isConstant(String place, String name) {
            return constants.contains(place) || (!name.isEmpty() && typeNames.contains(name));
        }

        /** A place as people write it: without numbers of elements, and with a star for keys that are data. */
        public String named(String place) {
            StringBuilder named = new StringBuilder();
            StringBuilder above = new StringBuilder();
            for (String part : place.isEmpty()
                    ? List.<String>of()
                    : List.of(place.substring(1).split("/", -1))) {
                String name = part.replace("~1", "/").replace("~0", "~");
                boolean isProperty = isProperty(above.toString(), name);
                if (isProperty || !ELEMENT.matcher(part).matches()) {
                    named.append(named.isEmpty() ? "" : ".").append(isProperty ? name : "*");
                }
                above.append('/').append(part);
            }
            return named.toString();
        }

        /** @return where the object is that is about to be read; empty if it is none */
        private String addObject(JsonParser parser, Set<String> known) {
            TokenStreamContext own = parser.streamReadContext();
            boolean isObject = parser.currentToken() == JsonToken.START_OBJECT
                    || parser.currentToken() == JsonToken.PROPERTY_NAME
                    || parser.currentToken() == JsonToken.END_OBJECT;
            if (!isObject || !own.inObject()) {
                return "";
            }
            String place = pointer(own.getParent());
            objects.merge(place, known, (one, other) -> one.isEmpty() ? one : other);
            return place;
        }

        private void addType(JsonParser parser, TypeDeserializer type) {
            if (type.getTypeInclusion() == JsonTypeInfo.As.WRAPPER_OBJECT) {
                String unused = addObject(parser, Set.of()); // its only name is that of a subclass
            } else if (type.getTypeInclusion() == JsonTypeInfo.As.WRAPPER_ARRAY) {
                constants.add(pointer(parser.streamReadContext().getParent()) + "/0");
            } else if (type.getPropertyName() != null) {
                typeNames.add(type.getPropertyName());
            }
        }
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    /** Of the value at which the parser is. */
    private static String valuePointer(JsonParser parser) {
        TokenStreamContext own = parser.streamReadContext();
        JsonToken token = parser.currentToken();
        return pointer(token != null && token.isStructStart() ? own.getParent() : own);
    }

    private static String pointer(@Nullable TokenStreamContext context) {
        return context == null ? "" : context.pathAsPointer().toString();
    }

    /** A builder, because only a builder can add a problem handler behind all others. */
    private static final class Probing extends JsonMapper.Builder {

        private Probing(StateImpl mapper, JsonFactory factory) {
            super(mapper);
            _streamFactory = factory;
            _problemHandlers = after(_problemHandlers);
        }

        static JsonMapper of(JsonMapper mapper) {
            return new Probing((StateImpl) mapper.rebuild().saveStateApplyModules(), mapper.tokenStreamFactory())
                    .addModule(new SimpleModule("safebunny-probe").setDeserializerModifier(new Places()))
                    .build();
        }

        private static LinkedNode<DeserializationProblemHandler> after(
                @Nullable LinkedNode<DeserializationProblemHandler> others) {
            return others == null
                    ? new LinkedNode<>(new Unread(), null)
                    : new LinkedNode<>(others.value(), after(others.next()));
        }
    }

    /** Sees only what the application's handlers leave. */
    private static final class Unread extends DeserializationProblemHandler {

        @Override
        public boolean handleUnknownProperty(
                DeserializationContext context,
                JsonParser parser,
                @Nullable ValueDeserializer<?> reader,
                @Nullable Object beanOrClass,
                String name) {
            Found found = Found.of(context);
            if (found != null && !found.within.isEmpty()) {
                // not the parser's place: what a creator does not take comes from a buffer
                found.unread.add(found.within.element() + '/' + escaped(name));
            }
            return false;
        }
    }

    private static final class Places extends ValueDeserializerModifier {

        private static final long serialVersionUID = 1;

        /** {@code ignoreUnknown = true} only prevents failures; what is not read is not read. */
        @Override
        public BeanDeserializerBuilder updateBuilder(
                DeserializationConfig config, BeanDescription.Supplier type, BeanDeserializerBuilder builder) {
            builder.setIgnoreUnknownProperties(false);
            return builder;
        }

        @Override
        public ValueDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription.Supplier type, ValueDeserializer<?> own) {
            ValueDeserializer<?> inner = own;
            while (inner instanceof DelegatingDeserializer around) {
                inner = around.getDelegatee();
            }
            if (inner instanceof BeanDeserializerBase bean) {
                Set<String> known = bean.hasAnySetter()
                        ? bean.getKnownPropertyNames().stream()
                                .map(String::valueOf)
                                .collect(Collectors.toSet())
                        : Set.of();
                return new Noting(own, bean.hasAnySetter() && known.isEmpty() ? Set.of("") : known);
            }
            return inner instanceof AbstractDeserializer ? new Noting(own, Set.of()) : own;
        }

        @Override
        public ValueDeserializer<?> modifyEnumDeserializer(
                DeserializationConfig config,
                JavaType type,
                BeanDescription.Supplier description,
                ValueDeserializer<?> own) {
            return new Constants(own);
        }

        @Override
        public KeyDeserializer modifyKeyDeserializer(DeserializationConfig config, JavaType type, KeyDeserializer own) {
            return type.isEnumType() ? new Keys(own) : own;
        }
    }

    private static final class Noting extends DelegatingDeserializer {

        /** Names of its properties if it takes others as data; otherwise empty. */
        private final Set<String> known;

        Noting(ValueDeserializer<?> own, Set<String> known) {
            super(own);
            this.known = known;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Noting(own, known);
        }

        @Override
        public ValueDeserializer<Object> unwrappingDeserializer(DeserializationContext context, NameTransformer names) {
            @SuppressWarnings("unchecked")
            ValueDeserializer<Object> own = (ValueDeserializer<Object>) getDelegatee();
            return own.unwrappingDeserializer(context, names);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            return noted(parser, context, () -> super.deserialize(parser, context));
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context, Object into) {
            return noted(parser, context, () -> super.deserialize(parser, context, into));
        }

        private @Nullable Object noted(
                JsonParser parser, DeserializationContext context, Supplier<@Nullable Object> reading) {
            Found found = Found.of(context);
            if (found == null) {
                return reading.get();
            }
            found.within.push(found.addObject(parser, known));
            try {
                return reading.get();
            } finally {
                found.within.pop();
            }
        }

        @Override
        public @Nullable Object deserializeWithType(
                JsonParser parser, DeserializationContext context, TypeDeserializer type) {
            Found found = Found.of(context);
            if (found != null) {
                found.addType(parser, type);
            }
            return getDelegatee().deserializeWithType(parser, context, type);
        }
    }

    private static final class Constants extends DelegatingDeserializer {

        Constants(ValueDeserializer<?> own) {
            super(own);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Constants(own);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            Found found = Found.of(context);
            if (found != null) {
                found.constants.add(valuePointer(parser));
            }
            return super.deserialize(parser, context);
        }
    }

    private static final class Keys extends KeyDeserializer {

        private final KeyDeserializer own;

        Keys(KeyDeserializer own) {
            this.own = own;
        }

        @Override
        public @Nullable Object deserializeKey(String key, DeserializationContext context) {
            Found found = Found.of(context);
            if (found != null) {
                found.keys.add(key);
            }
            return own.deserializeKey(key, context);
        }
    }
}
