// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.function.Predicate;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedField;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Refuses to write <code>{}</code> for an object whose fields Jackson does not see (no getters, or the Jackson module of its language is
 * missing): the receiver would get an empty object. Jackson asks once per class.
 */
final class EmptyObjects extends ValueSerializerModifier {

    private static final long serialVersionUID = 1;

    @Override
    public ValueSerializer<?> modifySerializer(
            SerializationConfig config, BeanDescription.Supplier type, ValueSerializer<?> own) {
        boolean writesNothing = own instanceof UnknownSerializer
                || (own instanceof BeanSerializerBase && !own.properties().hasNext());
        return writesNothing && loseFields(type.get()) ? new Refusing(type.getType()) : own;
    }

    static boolean loseFields(BeanDescription type) {
        return hideAllFields(type, BeanPropertyDefinition::couldSerialize);
    }

    /**
     * Distinguishes a class whose fields Jackson does not see from one without fields, such as {@code record Ping()}.
     *
     * @return whether the class has fields, none of which is a property, without an annotation that excludes them
     */
    static boolean hideAllFields(BeanDescription type, Predicate<BeanPropertyDefinition> isUsed) {
        if (type.findProperties().stream().anyMatch(isUsed)) {
            return false;
        }
        AnnotatedClass members = type.getClassInfo();
        for (AnnotatedMethod method : members.memberMethods()) {
            if (isDecided(method)) {
                return false;
            }
        }
        for (AnnotatedField field : members.fields()) {
            if (!field.isTransient() && !isDecided(field)) {
                return true;
            }
        }
        return false;
    }

    static boolean isDecided(AnnotatedMember member) {
        return member.hasAnnotation(JsonIgnore.class) || member.hasAnnotation(JsonProperty.class);
    }

    private static final class Refusing extends StdSerializer<Object> {

        Refusing(JavaType type) {
            super(type);
        }

        @Override
        public void serialize(Object value, JsonGenerator json, SerializationContext context) {
            refuse(context);
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator json, SerializationContext context, TypeSerializer type) {
            refuse(context);
        }

        @Override
        public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType type) {
            refuse(visitor.getContext());
        }

        private void refuse(SerializationContext context) {
            context.reportBadDefinition(
                    handledType(),
                    "%s would become {}, because Jackson sees none of its fields: make it a record, add getters, or register the Jackson module of its language"
                            .formatted(handledType().getName()));
        }
    }
}
