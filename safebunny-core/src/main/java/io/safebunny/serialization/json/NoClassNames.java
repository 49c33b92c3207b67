// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.failure.ConfigurationException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.jsontype.TypeResolverProvider;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.jsontype.impl.AsDeductionTypeDeserializer;

/**
 * Refuses types whose bodies would contain class names, whether by annotation, mix-in, introspector or a property of type {@code
 * Class<?>}.
 */
final class NoClassNames extends TypeResolverProvider {

    private static final long serialVersionUID = 1;

    private final TypeResolverProvider mappers;

    NoClassNames(TypeResolverProvider mappers) {
        this.mappers = mappers;
    }

    @Override
    public @Nullable TypeDeserializer findTypeDeserializer(
            DeserializationContext context, JavaType type, AnnotatedClass annotated) {
        return required(type, mappers.findTypeDeserializer(context, type, annotated));
    }

    @Override
    public @Nullable TypeDeserializer findPropertyTypeDeserializer(
            DeserializationContext context, AnnotatedMember property, JavaType type) {
        return required(type, mappers.findPropertyTypeDeserializer(context, property, type));
    }

    @Override
    public @Nullable TypeDeserializer findPropertyContentTypeDeserializer(
            DeserializationContext context, AnnotatedMember property, JavaType container) {
        return required(
                container.getContentType(), mappers.findPropertyContentTypeDeserializer(context, property, container));
    }

    private static @Nullable TypeDeserializer required(JavaType type, @Nullable TypeDeserializer found) {
        if (type.hasRawClass(Class.class) || type.isTypeOrSubTypeOf(JavaType.class)) {
            throw refused(type, "it is read from a class name", "Declare a String or an enum.");
        }
        if (found == null || found.getTypeIdResolver() == null || found instanceof AsDeductionTypeDeserializer) {
            return found;
        }
        JsonTypeInfo.Id id = found.getTypeIdResolver().getMechanism();
        if (id == JsonTypeInfo.Id.CLASS || id == JsonTypeInfo.Id.MINIMAL_CLASS) {
            throw refused(
                    type,
                    "use=" + id,
                    "Name the subclasses: @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) and @JsonSubTypes.");
        }
        return found;
    }

    private static ConfigurationException refused(JavaType type, String how, String action) {
        return new ConfigurationException(
                "SB-1110",
                "The body would choose a class [type=%s, %s]: whoever writes it could have any class loaded or instantiated."
                        .formatted(type.getRawClass().getName(), how),
                action);
    }

    @Override
    public @Nullable TypeSerializer findTypeSerializer(
            SerializationContext context, JavaType type, AnnotatedClass annotated) {
        return mappers.findTypeSerializer(context, type, annotated);
    }

    @Override
    public @Nullable TypeSerializer findPropertyTypeSerializer(
            SerializationContext context, AnnotatedMember property, JavaType type) {
        return mappers.findPropertyTypeSerializer(context, property, type);
    }

    @Override
    public @Nullable TypeSerializer findPropertyContentTypeSerializer(
            SerializationContext context, AnnotatedMember property, JavaType container) {
        return mappers.findPropertyContentTypeSerializer(context, property, container);
    }
}
