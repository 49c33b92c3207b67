// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.util.NameTransformer;
import tools.jackson.databind.util.TokenBuffer;

/**
 * Refuses an object that would silently lose a field: one that has a getter, but is not filled from the body, such as a final field of a
 * class with a default constructor, or a field whose constructor parameter has another name. If the class computes the value anyway (a
 * constant, a sum), it is accepted if the body's value is equal. Costs nothing for other classes. Thread-safe.
 */
final class LostValues extends ValueDeserializerModifier {

    private static final long serialVersionUID = 1;

    private transient volatile @Nullable JsonMapper mapper;

    /** Sets the mapper that writes objects for the comparison. Call before anything is read. */
    void writeWith(JsonMapper writing) {
        mapper = writing;
    }

    /** The reader inside a check; the reader itself if there is no check. */
    static ValueDeserializer<?> unwrapped(ValueDeserializer<?> reader) {
        return reader instanceof Checking checking ? checking.getDelegatee() : reader;
    }

    @Override
    public ValueDeserializer<?> modifyDeserializer(
            DeserializationConfig config, BeanDescription.Supplier type, ValueDeserializer<?> own) {
        if (own.getClass() != BeanDeserializer.class) {
            return own;
        }
        Set<String> unread = unread(config, type.get(), (BeanDeserializerBase) own);
        return unread.isEmpty() ? own : new Checking(own, unread, isSilent(type.get(), (BeanDeserializerBase) own));
    }

    /** Whether Jackson does not report unknown properties of the type, as with a creator and an unwrapped property. */
    private static boolean isSilent(BeanDescription type, BeanDeserializerBase reader) {
        return reader.getValueInstantiator().canCreateFromObjectWith()
                && type.findProperties().stream()
                        .map(BeanPropertyDefinition::getPrimaryMember)
                        .anyMatch(member -> member != null && member.hasAnnotation(JsonUnwrapped.class));
    }

    private static Set<String> unread(DeserializationConfig config, BeanDescription type, BeanDeserializerBase reader) {
        Set<String> ignored = config.getAnnotationIntrospector()
                .findPropertyIgnoralByName(config, type.getClassInfo())
                .getIgnored();
        Set<String> fields = new HashSet<>();
        Set<String> unread = new TreeSet<>();
        type.getClassInfo().fields().forEach(field -> {
            String name = field.getName();
            if (!field.isTransient() && !EmptyObjects.isDecided(field)) {
                fields.add(name);
                // for Jackson's readers, a final field without a getter is not a property
                if (Modifier.isPublic(field.getModifiers()) && !reader.hasProperty(name) && !ignored.contains(name)) {
                    unread.add(name);
                }
            }
        });
        for (BeanPropertyDefinition property : type.findProperties()) {
            AnnotatedMember writer = property.getAccessor();
            if (writer != null
                    && fields.contains(property.getInternalName())
                    && !reader.hasProperty(property.getName())
                    && !ignored.contains(property.getName())
                    && !isReadOnly(writer)) {
                unread.add(property.getName());
            }
        }
        return unread;
    }

    /** Fields of the object being read that nothing reads, although the object's class writes them. */
    private record Unread(Class<?> type, Set<String> names, Map<String, JsonNode> values) {}

    /**
     * Call for each name that nothing reads.
     *
     * @return whether the value has been consumed from the parser
     */
    static boolean keep(
            DeserializationContext context, JsonParser parser, @Nullable ValueDeserializer<?> reader, String name) {
        if (reader != null
                && context.getAttribute(LostValues.class) instanceof Unread unread
                && unread.type == reader.handledType()
                && unread.names.contains(name)) {
            unread.values.put(name, ExactTree.node(parser));
            return true;
        }
        return false;
    }

    private static boolean isReadOnly(AnnotatedMember writer) {
        JsonProperty annotation = writer.getAnnotation(JsonProperty.class);
        return annotation != null && annotation.access() == JsonProperty.Access.READ_ONLY;
    }

    private final class Checking extends DelegatingDeserializer {

        private final Set<String> names;
        private final boolean silent;

        Checking(ValueDeserializer<?> own, Set<String> names, boolean silent) {
            super(own);
            this.names = names;
            this.silent = silent;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Checking(own, names, silent);
        }

        /** For an object whose properties are inlined into another object. */
        @Override
        public ValueDeserializer<Object> unwrappingDeserializer(DeserializationContext context, NameTransformer names) {
            @SuppressWarnings("unchecked")
            ValueDeserializer<Object> own = (ValueDeserializer<Object>) getDelegatee();
            return own.unwrappingDeserializer(context, names);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            Object around = context.getAttribute(LostValues.class);
            Unread unread = new Unread(handledType(), names, new HashMap<>());
            context.setAttribute(LostValues.class, unread);
            Object value;
            try {
                value = super.deserialize(silent ? told(unread, parser, context) : parser, context);
            } finally {
                context.setAttribute(LostValues.class, around);
            }
            if (value != null && !unread.values.isEmpty()) {
                requireWhole(unread.values, value, context);
            }
            return value;
        }

        private static JsonParser told(Unread unread, JsonParser parser, DeserializationContext context) {
            if (!parser.isExpectedStartObjectToken()) {
                return parser;
            }
            TokenBuffer object = context.bufferAsCopyOfValue(parser);
            try (JsonParser told = object.asParserOnFirstToken(context)) {
                for (String name = told.nextName(); name != null; name = told.nextName()) {
                    told.nextToken();
                    if (unread.names.contains(name)) {
                        unread.values.put(name, ExactTree.node(told));
                    } else {
                        told.skipChildren();
                    }
                }
            }
            return object.asParserOnFirstToken(context);
        }

        private void requireWhole(Map<String, JsonNode> body, Object value, DeserializationContext context) {
            JsonNode written = written(value);
            Set<String> lost = new TreeSet<>();
            body.forEach((name, node) -> {
                if (!isSame(node, written.path(name))) {
                    lost.add(name);
                }
            });
            if (!lost.isEmpty()) {
                context.reportBadDefinition(
                        value.getClass(),
                        "%s would lose %s, which its getter writes and nothing reads: give it a setter, or the constructor a parameter of that name; or annotate it with @JsonProperty(access = READ_ONLY) if it need not be read"
                                .formatted(value.getClass().getName(), lost));
            }
        }

        /** The object as JSON; a missing node if it cannot be written. */
        private JsonNode written(Object value) {
            try {
                return ExactTree.read(Objects.requireNonNull(mapper)
                        .writer()
                        .without(SerializationFeature.WRAP_ROOT_VALUE)
                        .writeValueAsBytes(value));
            } catch (JacksonException e) {
                return JsonNodeFactory.instance.missingNode();
            }
        }
    }

    private static boolean isSame(JsonNode was, JsonNode is) {
        return is.isMissingNode() ? isNothing(was) : was.equals(LostValues::compare, is);
    }

    /** Whether the value is one that a class may omit. */
    private static boolean isNothing(JsonNode node) {
        return node.isNull()
                || (node.isContainer() && node.isEmpty())
                || (node.isString() && node.asString().isEmpty())
                || (node.isNumber() && node.decimalValue().signum() == 0)
                || (node.isBoolean() && !node.asBoolean());
    }

    /** Compares values; numbers are equal if they differ only in scale. */
    private static int compare(JsonNode one, JsonNode other) {
        if (one.isNumber() && other.isNumber()) {
            return one.decimalValue().compareTo(other.decimalValue());
        }
        return one.equals(other) ? 0 : 1;
    }
}
