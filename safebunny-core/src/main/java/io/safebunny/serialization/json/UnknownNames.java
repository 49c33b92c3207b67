// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.bean.BuilderBasedDeserializer;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.util.LinkedNode;

/**
 * Refuses a body in which the class knows none of the names: every field would silently be {@code null}. Jackson itself reports unknown
 * names, so aliases, setters, creators, ignored names and what another handler of the mapper reads count as known. A class without
 * properties has nothing to lose, and one that ignores unknown names by annotation takes any body. Thread-safe.
 */
final class UnknownNames extends DeserializationProblemHandler {

    /**
     * Maximum number of unknown names remembered per class. A body with more is not just named differently, and must not take more memory.
     */
    private static final int MOST = 1_000;

    private static final int MOST_TOLD = 10;

    /** Unknown names of this thread's current reading, by the class that does not know them. */
    private static final ThreadLocal<@Nullable Map<Class<?>, Unknown>> UNKNOWN = new ThreadLocal<>();

    private record Unknown(BeanDeserializerBase reader, Set<String> names) {}

    /** The list of handlers: first the other ones, then ours, which sees only the names that they leave. */
    static LinkedNode<DeserializationProblemHandler> after(@Nullable LinkedNode<DeserializationProblemHandler> others) {
        return others == null
                ? new LinkedNode<>(new UnknownNames(), null)
                : new LinkedNode<>(others.value(), after(others.next()));
    }

    @Override
    public boolean handleUnknownProperty(
            DeserializationContext context,
            JsonParser parser,
            @Nullable ValueDeserializer<?> reader,
            @Nullable Object beanOrClass,
            String name) {
        if (reader instanceof BeanDeserializerBase bean && bean.getPropertyCount() > 0) {
            Map<Class<?>, Unknown> unknown = UNKNOWN.get();
            if (unknown == null) {
                unknown = new HashMap<>();
                UNKNOWN.set(unknown);
            }
            Set<String> names =
                    unknown.computeIfAbsent(bean.handledType(), type -> new Unknown(bean, new HashSet<>())).names;
            if (names.size() < MOST) {
                names.add(name);
            }
        }
        return LostValues.keep(context, parser, reader, name);
    }

    /** Forgets the names. Call after each reading. */
    static void forget() {
        if (UNKNOWN.get() != null) {
            UNKNOWN.remove();
        }
    }

    /**
     * @param format its name, for the message
     * @throws SerializationException if the payload just read knows none of the names in the body
     */
    static void requireOneKnown(String format, ObjectMapper mapper, byte[] body, Type type, Object payload) {
        Map<Class<?>, Unknown> unknown = UNKNOWN.get();
        if (unknown == null) {
            return;
        }
        JavaType target = mapper.constructType(type);
        Unknown ofPayload = ofPayload(unknown, mapper._deserializationContext(), target, payload);
        if (ofPayload == null) {
            return;
        }
        Set<String> names = namesIfAllAre(ofPayload, mapper, body, target);
        if (!names.isEmpty() && Collections.disjoint(names, written(mapper, payload))) {
            throw new SerializationException(
                    "Cannot read %s as %s: none of the names in the body is known, only %s. Use the same names on both sides (spring.jackson.property-naming-strategy, @JsonProperty), or add them to the class as @JsonAlias."
                            .formatted(format, type.getTypeName(), known(ofPayload.reader)),
                    null);
        }
    }

    /** Unknown names of the payload's class, or of the class that Jackson reads instead: the builder, or the parameter of the creator. */
    private static @Nullable Unknown ofPayload(
            Map<Class<?>, Unknown> unknown, DeserializationContext context, JavaType target, Object payload) {
        Unknown own = unknown.get(payload.getClass());
        if (own != null) {
            return own;
        }
        DeserializationConfig config = context.getConfig();
        if (unknown.values().stream().anyMatch(one -> one.reader instanceof BuilderBasedDeserializer)) {
            return unknown.get(config.getAnnotationIntrospector()
                    .findPOJOBuilder(config, context.introspectClassAnnotations(payload.getClass())));
        }
        JavaType taken =
                LostValues.unwrapped(context.findRootValueDeserializer(target)) instanceof BeanDeserializerBase root
                        ? root.getValueInstantiator().getDelegateType(config)
                        : null;
        return taken == null ? null : unknown.get(taken.getRawClass());
    }

    /** The names in the payload's object, without the one that chooses its class, if all are unknown; empty if any is known. */
    private static Set<String> namesIfAllAre(Unknown unknown, ObjectMapper mapper, byte[] body, JavaType target) {
        TypeDeserializer chooser = mapper._deserializationContext().findTypeDeserializer(target);
        if (chooser != null && unknown.reader.handledType() == chooser.getDefaultImpl()) {
            return Set.of();
        }
        String choosing = chooser == null ? null : chooser.getPropertyName();
        int objects = 1
                + (mapper.isEnabled(DeserializationFeature.UNWRAP_ROOT_VALUE) ? 1 : 0)
                + (chooser != null && chooser.getTypeInclusion() == JsonTypeInfo.As.WRAPPER_OBJECT ? 1 : 0);
        Set<String> names = new HashSet<>();
        try (JsonParser parser = mapper.createParser(body)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                objects -= token == JsonToken.START_OBJECT ? 1 : 0;
                if (objects == 0) {
                    break;
                }
            }
            for (String name = parser.nextName(); name != null; name = parser.nextName()) {
                if (!name.equals(choosing) || unknown.reader.hasProperty(name)) {
                    if (!unknown.names.contains(name)) {
                        return Set.of();
                    }
                    names.add(name);
                }
                parser.nextToken();
                parser.skipChildren();
            }
        }
        return names;
    }

    /** The names that the class writes. These may include some that it does not read, such as that of a computed getter. */
    private static Set<String> written(ObjectMapper mapper, Object payload) {
        Set<String> written = new HashSet<>();
        mapper._serializationContext()
                .findValueSerializer(payload.getClass())
                .properties()
                .forEachRemaining(property -> written.add(property.getName()));
        return written;
    }

    private static String known(BeanDeserializerBase reader) {
        return reader.getKnownPropertyNames().stream()
                .map(String::valueOf)
                .sorted()
                .limit(MOST_TOLD)
                .collect(Collectors.joining(", "));
    }
}
