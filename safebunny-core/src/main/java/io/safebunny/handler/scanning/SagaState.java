// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.JsonMessageSerializer;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;

/** Checks whether a state can become a JSON object and be read back from it, as far as its type tells. */
final class SagaState {

    private static final JsonMapper MAPPER = JsonMapper.shared();

    private SagaState() {}

    /** @throws ConfigurationException SB-1107 */
    static void requireStorable(String where, Type type) {
        String flaw = flaw(type);
        if (flaw != null) {
            throw SagaReader.refused(
                    "The state of a saga cannot be stored [handler=%s, state=%s]: %s."
                            .formatted(where, type.getTypeName(), flaw),
                    "Return a record of your own, such as: record State(String order, long cents) {}.");
        }
    }

    private static @Nullable String flaw(Type type) {
        JavaType state;
        try {
            state = MAPPER.constructType(type);
            JsonMessageSerializer.ofResults().prepare(type);
            Shape shape = new Shape(state);
            if (state.getRawClass().getName().startsWith("java.") || !shape.object) {
                return "it does not become a JSON object";
            }
            if (!shape.properties && hasFields(state.getRawClass())) {
                return "Jackson sees none of its fields, so it would become {}";
            }
            DeserializationContext context = MAPPER._deserializationContext();
            return unreadable(context, context.findRootValueDeserializer(state), new HashSet<>());
        } catch (ConfigurationException e) {
            return e.problem() + " " + e.action();
        } catch (JacksonException | IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static boolean hasFields(Class<?> type) {
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            if (Arrays.stream(declaring.getDeclaredFields()).anyMatch(SagaState::isPartOfState)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isPartOfState(Field field) {
        return !field.isSynthetic() && !Modifier.isStatic(field.getModifiers());
    }

    /** Why nothing could be read into it; {@code null} if something could. */
    private static @Nullable String unreadable(
            DeserializationContext context, @Nullable ValueDeserializer<?> reader, Set<ValueDeserializer<?>> seen) {
        if (reader == null || !seen.add(reader)) {
            return null;
        }
        if (reader instanceof ContainerDeserializerBase<?> container) {
            boolean saysItsClass = context.findTypeDeserializer(container.getContentType()) != null;
            return saysItsClass ? null : unreadable(context, container.getContentDeserializer(), seen);
        }
        if (reader instanceof AbstractDeserializer && !reader.handledType().isAssignableFrom(String.class)) {
            return "%s is abstract, and its JSON would not say which subclass it was (@JsonTypeInfo with Id.NAME does)"
                    .formatted(reader.handledType().getName());
        }
        if (!(reader instanceof BeanDeserializerBase bean)) {
            return null;
        }
        ValueInstantiator constructors = bean.getValueInstantiator();
        if (!constructors.canInstantiate()) {
            return "%s has no constructor that Jackson could call"
                    .formatted(reader.handledType().getName());
        }
        for (Iterator<SettableBeanProperty> properties = bean.properties(); properties.hasNext(); ) {
            SettableBeanProperty property = properties.next();
            if (property.getValueTypeDeserializer() == null && property.getAnnotation(JsonTypeInfo.class) == null) {
                String flaw = unreadable(context, property.getValueDeserializer(), seen);
                if (flaw != null) {
                    return flaw;
                }
            }
        }
        return null;
    }

    /** Learns what a type becomes. */
    private static final class Shape extends JsonFormatVisitorWrapper.Base {
        boolean object;
        boolean properties;

        Shape(JavaType type) {
            MAPPER.acceptJsonFormatVisitor(type, this);
        }

        @Override
        public JsonObjectFormatVisitor expectObjectFormat(JavaType type) {
            object = true;
            return new JsonObjectFormatVisitor.Base(getContext()) { // does not visit the properties' own types
                @Override
                public void property(BeanProperty property) {
                    properties = true;
                }

                @Override
                public void optionalProperty(BeanProperty property) {
                    properties = true;
                }
            };
        }
    }
}
