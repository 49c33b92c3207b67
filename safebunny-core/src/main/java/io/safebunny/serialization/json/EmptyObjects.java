// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Refuses to write <code>{}</code> for an object whose fields Jackson does not see (no getters, or the Jackson module of its
 * language is missing): the receiver would get nothing. Jackson asks once per class.
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
        return LostFields.areAll(type, BeanPropertyDefinition::couldSerialize);
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
