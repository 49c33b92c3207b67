// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.failure.ConfigurationException;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.bean.BuilderBasedDeserializer;
import tools.jackson.databind.deser.jdk.EnumDeserializer;
import tools.jackson.databind.deser.jdk.ThrowableDeserializer;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.ClassUtil;

/**
 * Finds types that cannot be read from any body. Jackson also makes readers for classes that it can never fill, and those fail only at the
 * first body. Confined to one thread.
 */
final class Readability {

    /** Code: no JSON at all can be read as the type. */
    static final String UNREADABLE = "SB-1112";

    private final JsonMapper mapper;
    private final DeserializationContext context;
    private final Set<ValueDeserializer<?>> seen = new HashSet<>();

    private Readability(JsonMapper mapper, DeserializationContext context) {
        this.mapper = mapper;
        this.context = context;
    }

    /**
     * @return why nothing can be read as the type; {@code null} if Jackson expects that something can
     * @throws RuntimeException if Jackson cannot even make a reader
     */
    static @Nullable String flaw(JsonMapper mapper, JavaType type) {
        DeserializationContext context = mapper._deserializationContext();
        Readability readability = new Readability(mapper, context);
        ValueDeserializer<?> reader = LostValues.unwrapped(context.findRootValueDeserializer(type));
        return readability.takesOnlyScalars(reader)
                ? "%s has a constructor for a single value, and none for an object, because its parameter has no name, or another one than its getter (javac -parameters, jackson-module-kotlin or @JsonCreator tell it)"
                        .formatted(reader.handledType().getName())
                : readability.flaw(reader);
    }

    static ConfigurationException unreadable(Type type, String flaw) {
        return new ConfigurationException(
                UNREADABLE,
                "No JSON can be read as %s: %s.".formatted(type.getTypeName(), flaw),
                "Make it a record, such as: record OrderPlaced(String order, long cents) {}; or give its class a constructor with @JsonCreator, or one without parameters; or add the Jackson module that reads it (of Kotlin: tools.jackson.module:jackson-module-kotlin).");
    }

    /**
     * Whether the type can only be read from a single value. For Jackson, every constructor with one parameter takes a single value, unless
     * the parameter's name is known.
     */
    private boolean takesOnlyScalars(ValueDeserializer<?> reader) {
        if (!(reader instanceof BeanDeserializerBase bean) || reader instanceof ThrowableDeserializer) {
            return false;
        }
        ValueInstantiator maker = bean.getValueInstantiator();
        return maker.canInstantiate()
                && !maker.canCreateUsingDefault()
                && !maker.canCreateFromObjectWith()
                && !maker.canCreateUsingDelegate()
                && !maker.canCreateUsingArrayDelegate()
                && !isMeantToBeAScalar(descriptionOf(bean));
    }

    private static boolean isMeantToBeAScalar(BeanDescription type) {
        return type.findJsonValueAccessor() != null
                || Stream.concat(type.getConstructors().stream(), type.getFactoryMethods().stream())
                        .anyMatch(creator -> creator.hasAnnotation(JsonCreator.class));
    }

    private BeanDescription descriptionOf(BeanDeserializerBase bean) {
        return context.introspectBeanDescription(bean.getValueType());
    }

    private @Nullable String flaw(@Nullable ValueDeserializer<?> found) {
        if (found == null || !seen.add(found)) {
            return null;
        }
        ValueDeserializer<?> reader = LostValues.unwrapped(found);
        if (reader instanceof EnumDeserializer) {
            return constantsAlike(reader.handledType(), mapper::writeValueAsString);
        }
        if (reader instanceof ContainerDeserializerBase<?> container) {
            String alikeAsKeys = keysAlike(container.getValueType().getKeyType());
            if (alikeAsKeys != null) {
                return alikeAsKeys;
            }
            boolean saysItsClass = context.findTypeDeserializer(container.getContentType()) != null;
            return saysItsClass ? null : flaw(container.getContentDeserializer());
        }
        if (reader instanceof AbstractDeserializer && !reader.handledType().isAssignableFrom(String.class)) {
            return "%s is abstract, and its JSON would not say which subclass it was (@JsonTypeInfo with Id.NAME does)"
                    .formatted(reader.handledType().getName());
        }
        return reader instanceof BeanDeserializerBase bean ? flawOf(bean) : null;
    }

    private @Nullable String keysAlike(@Nullable JavaType type) {
        return type != null && type.isEnumType() && ClassUtil.isJacksonStdImpl(context.findKeyDeserializer(type, null))
                ? constantsAlike(type.getRawClass(), key -> mapper.writeValueAsString(Map.of(key, 0)))
                : null;
    }

    /**
     * A description of two constants that are written alike, because Jackson writes enum constants by {@code toString}; {@code null} if
     * there are none.
     */
    private static @Nullable String constantsAlike(Class<?> type, Function<Object, String> writer) {
        Map<String, Object> written = new HashMap<>();
        for (Object constant : type.getEnumConstants()) {
            Object other = written.putIfAbsent(writer.apply(constant), constant);
            if (other != null) {
                return "two constants of %s are written alike, %s and %s, and would come back as one of them (@JsonProperty on the constants names them)"
                        .formatted(type.getName(), ((Enum<?>) other).name(), ((Enum<?>) constant).name());
            }
        }
        return null;
    }

    private @Nullable String flawOf(BeanDeserializerBase bean) {
        if (!bean.getValueInstantiator().canInstantiate()) {
            return "%s has no constructor that Jackson could call"
                    .formatted(bean.handledType().getName());
        }
        if (readsNothing(bean)) {
            return "%s would stay empty, because Jackson sees none of its fields"
                    .formatted(bean.handledType().getName());
        }
        for (Iterator<SettableBeanProperty> properties = bean.properties(); properties.hasNext(); ) {
            SettableBeanProperty property = properties.next();
            String flaw = isChosenOtherwise(property) || hasItsOwnConstants(property)
                    ? null
                    : flaw(property.getValueDeserializer());
            if (flaw != null) {
                return flaw;
            }
        }
        return null;
    }

    private boolean readsNothing(BeanDeserializerBase bean) {
        ValueInstantiator maker = bean.getValueInstantiator();
        return maker.canCreateUsingDefault()
                && !maker.canCreateUsingDelegate()
                && !maker.canCreateUsingArrayDelegate()
                && !maker.canCreateFromString()
                && !bean.properties().hasNext()
                && !bean.hasAnySetter()
                && !(bean instanceof BuilderBasedDeserializer)
                && EmptyObjects.hideAllFields(descriptionOf(bean), BeanPropertyDefinition::couldDeserialize);
    }

    /** Whether the property has annotations that change how its constants are written, such as a serializer of its own. */
    private static boolean hasItsOwnConstants(SettableBeanProperty property) {
        JavaType key = property.getType().getKeyType();
        boolean hasConstants = property.getType().isEnumType()
                || (key != null && key.isEnumType())
                || (property.getValueDeserializer() instanceof ContainerDeserializerBase<?> container
                        && container.getContentDeserializer() instanceof EnumDeserializer);
        return hasConstants
                && (property.getAnnotation(JsonFormat.class) != null
                        || property.getAnnotation(JsonSerialize.class) != null
                        || property.getAnnotation(JsonDeserialize.class) != null);
    }

    /** Whether the body names the property's subclass, or the value does not come from the body. */
    private static boolean isChosenOtherwise(SettableBeanProperty property) {
        return property.isIgnorable()
                || property.getValueTypeDeserializer() != null
                || property.getAnnotation(JsonTypeInfo.class) != null
                || property.getInjectableValueId() != null;
    }
}
