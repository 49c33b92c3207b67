// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BuilderBasedDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.introspect.VirtualAnnotatedMember;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.VirtualBeanPropertyWriter;
import tools.jackson.databind.util.NameTransformer;
import tools.jackson.databind.util.SimpleBeanPropertyDefinition;

/**
 * Collects fields that nothing reads, by the object in whose JSON they are. Jackson itself reports them, so aliases, setters, creators,
 * ignored names and whatever else a class reads count as read. Confined to one thread.
 */
final class UnreadFields {

    private final IdentityHashMap<Object, Map<String, JsonNode>> byObject = new IdentityHashMap<>();
    private final Deque<Map<String, JsonNode>> beingBuilt = new ArrayDeque<>();
    private final Set<String> names = new HashSet<>();
    private final Set<Object> written = java.util.Collections.newSetFromMap(new IdentityHashMap<>());

    /** Makes a mapper collect unread fields when reading, and add them to their objects when writing. */
    static JsonMapper.Builder collectedBy(JsonMapper.Builder mapper) {
        return mapper.addHandler(new Finder())
                .annotationIntrospector(new NothingIgnored())
                .addModule(new SimpleModule("safebunny-unread")
                        .setDeserializerModifier(new Builders())
                        .setSerializerModifier(new Adder()));
    }

    /** The unread fields of the current reading or writing. */
    static @Nullable UnreadFields of(DatabindContext context) {
        return (UnreadFields) context.getAttribute(UnreadFields.class);
    }

    void found(@Nullable Object object, String name, JsonNode value) {
        names.add(name);
        if (object != null) {
            byObject.computeIfAbsent(object, one -> new LinkedHashMap<>()).put(name, value);
        }
    }

    /** Records a field of an object that is read by a builder. */
    void foundByBuilder(String name, JsonNode value) {
        names.add(name);
        beingBuilt.element().put(name, value);
    }

    void beginBuilding() {
        beingBuilt.push(new LinkedHashMap<>());
    }

    void built(@Nullable Object object) {
        Map<String, JsonNode> fields = beingBuilt.pop();
        if (object != null) {
            fields.forEach((name, value) -> found(object, name, value));
        }
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    Set<String> names() {
        return Set.copyOf(names);
    }

    /** The unread fields to write with this object. */
    Map<String, JsonNode> write(Object object) {
        Map<String, JsonNode> fields = byObject.get(object);
        if (fields == null) {
            return Map.of();
        }
        written.add(object);
        return fields;
    }

    /** Names of unread fields whose object was not written, because it has been replaced by another one. */
    Set<String> unwritten() {
        List<Map<String, JsonNode>> left = new ArrayList<>();
        byObject.forEach((object, fields) -> {
            if (!written.contains(object)) {
                left.add(fields);
            }
        });
        Set<String> unwritten = new HashSet<>();
        left.forEach(fields -> unwritten.addAll(fields.keySet()));
        return unwritten;
    }

    private static final class Finder extends DeserializationProblemHandler {

        @Override
        public boolean handleUnknownProperty(
                DeserializationContext context,
                JsonParser parser,
                @Nullable ValueDeserializer<?> reader,
                @Nullable Object beanOrClass,
                String name) {
            UnreadFields unread = UnreadFields.of(context);
            if (unread == null) {
                return false;
            }
            JsonNode value = ExactTree.node(parser);
            if (reader instanceof BuilderBasedDeserializer) {
                unread.foundByBuilder(name, value);
            } else {
                unread.found(beanOrClass, name, value);
            }
            return true;
        }
    }

    /** {@code ignoreUnknown = true} only prevents failures; it must not hide what another version wrote. */
    private static final class NothingIgnored extends JacksonAnnotationIntrospector {

        private static final long serialVersionUID = 1;

        @Override
        public JsonIgnoreProperties.Value findPropertyIgnoralByName(MapperConfig<?> config, Annotated annotated) {
            return super.findPropertyIgnoralByName(config, annotated).withoutIgnoreUnknown();
        }
    }

    private static final class Builders extends ValueDeserializerModifier {

        private static final long serialVersionUID = 1;

        @Override
        public ValueDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription.Supplier type, ValueDeserializer<?> own) {
            return own instanceof BuilderBasedDeserializer ? new Building(own) : own;
        }
    }

    private static final class Building extends DelegatingDeserializer {

        Building(ValueDeserializer<?> own) {
            super(own);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Building(own);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            UnreadFields unread = UnreadFields.of(context);
            if (unread == null) {
                return super.deserialize(parser, context);
            }
            unread.beginBuilding();
            Object built = null;
            try {
                built = super.deserialize(parser, context);
                return built;
            } finally {
                unread.built(built);
            }
        }
    }

    private static final class Adder extends ValueSerializerModifier {

        private static final long serialVersionUID = 1;

        @Override
        public List<BeanPropertyWriter> orderProperties(
                SerializationConfig config, BeanDescription.Supplier type, List<BeanPropertyWriter> properties) {
            if (properties.isEmpty() && EmptyObjects.loseFields(type.get())) {
                return properties;
            }
            List<BeanPropertyWriter> all = new ArrayList<>(properties);
            all.add(Added.to(config, type, properties));
            return all;
        }
    }

    /** Writes all unread fields of an object, after those that its class writes. */
    private static final class Added extends VirtualBeanPropertyWriter {

        private static final long serialVersionUID = 1;

        /** Names that the class writes without reading them. */
        private final Set<String> own;

        private Added(BeanPropertyDefinition definition, AnnotatedClass type, JavaType declared, Set<String> own) {
            super(definition, type.getAnnotations(), declared);
            this.own = own;
        }

        static Added to(MapperConfig<?> config, BeanDescription.Supplier type, List<BeanPropertyWriter> properties) {
            JavaType declared = config.constructType(Object.class);
            AnnotatedClass owner = type.getClassInfo();
            return new Added(
                    SimpleBeanPropertyDefinition.construct(
                            config, new VirtualAnnotatedMember(owner, owner.getRawType(), "", declared)),
                    owner,
                    declared,
                    properties.stream().map(BeanPropertyWriter::getName).collect(Collectors.toSet()));
        }

        @Override
        public void serializeAsProperty(Object bean, JsonGenerator json, SerializationContext context) {
            UnreadFields unread = UnreadFields.of(context);
            if (unread != null) {
                unread.write(bean).forEach((name, value) -> {
                    if (!own.contains(name)) {
                        json.writeName(name);
                        context.writeTree(json, value);
                    }
                });
            }
        }

        /** Writes nothing, because fields have no names if the class is serialized as an array. */
        @Override
        public void serializeAsElement(Object bean, JsonGenerator json, SerializationContext context) {}

        @Override
        public void serializeAsOmittedProperty(Object bean, JsonGenerator json, SerializationContext context) {}

        @Override
        public void serializeAsOmittedElement(Object bean, JsonGenerator json, SerializationContext context) {}

        @Override
        public BeanPropertyWriter rename(NameTransformer transformer) {
            return this;
        }

        @Override
        protected @Nullable Object value(Object bean, JsonGenerator json, SerializationContext context) {
            return null;
        }

        @Override
        public VirtualBeanPropertyWriter withConfig(
                MapperConfig<?> config, AnnotatedClass owner, BeanPropertyDefinition definition, JavaType type) {
            return this;
        }
    }
}
