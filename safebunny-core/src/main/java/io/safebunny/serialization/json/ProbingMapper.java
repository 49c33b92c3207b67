// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.serialization.json.JsonProbe.Found;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.PropertyName;
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

/** The mapper of a {@link JsonProbe}: a builder, because only a builder can add a problem handler behind all others. */
final class ProbingMapper extends JsonMapper.Builder {

    private ProbingMapper(StateImpl mapper, JsonFactory factory) {
        super(mapper);
        _streamFactory = factory;
        _problemHandlers = after(_problemHandlers);
    }

    static JsonMapper of(JsonMapper mapper) {
        return new ProbingMapper((StateImpl) mapper.rebuild().saveStateApplyModules(), mapper.tokenStreamFactory())
                .addModule(new SimpleModule("safebunny-probe").setDeserializerModifier(new Places()))
                .build();
    }

    private static LinkedNode<DeserializationProblemHandler> after(
            @Nullable LinkedNode<DeserializationProblemHandler> others) {
        return others == null
                ? new LinkedNode<>(new Unread(), null)
                : new LinkedNode<>(others.value(), after(others.next()));
    }

    /** Of the class that reads, if it is one with properties. */
    private static Found.Names names(ValueDeserializer<?> own, Set<String> ignored) {
        ValueDeserializer<?> inner = own;
        while (inner instanceof DelegatingDeserializer around) {
            inner = around.getDelegatee();
        }
        return inner instanceof BeanDeserializerBase bean
                ? new Found.Names(
                        name -> ignored.contains(name) || bean.findProperty(PropertyName.construct(name)) != null,
                        bean.hasAnySetter() || bean.getValueInstantiator().canCreateUsingDelegate())
                : new Found.Names(ignored::contains, false);
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
                found.unread.add(found.within.element() + '/' + JsonProbe.escaped(name));
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
            return inner instanceof BeanDeserializerBase || inner instanceof AbstractDeserializer
                    ? new Noting(own, ignored(config, type))
                    : own;
        }

        /** Names that the class declares, and that are not read. */
        private static Set<String> ignored(DeserializationConfig config, BeanDescription.Supplier type) {
            Set<String> ignored =
                    new HashSet<>(config.getDefaultPropertyIgnorals(type.getBeanClass(), type.getClassInfo())
                            .getIgnored());
            Set<String> each = type.get().getIgnoredPropertyNames();
            ignored.addAll(each == null ? Set.of() : each);
            return Set.copyOf(ignored);
        }

        @Override
        public ValueDeserializer<?> modifyEnumDeserializer(
                DeserializationConfig config,
                JavaType type,
                BeanDescription.Supplier description,
                ValueDeserializer<?> own) {
            return new Constants(own, type.getRawClass());
        }

        @Override
        public KeyDeserializer modifyKeyDeserializer(DeserializationConfig config, JavaType type, KeyDeserializer own) {
            return type.isEnumType() ? new Keys(own, type.getRawClass()) : own;
        }
    }

    private static final class Noting extends DelegatingDeserializer {

        private final Set<String> ignored;

        Noting(ValueDeserializer<?> own, Set<String> ignored) {
            super(own);
            this.ignored = ignored;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Noting(own, ignored);
        }

        @Override
        public ValueDeserializer<Object> unwrappingDeserializer(DeserializationContext context, NameTransformer names) {
            return new Inlined(getDelegatee().unwrappingDeserializer(context, names));
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
            found.within.push(found.addObject(parser, names(getDelegatee(), ignored)));
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
                found.addType(parser, type, context);
            }
            return getDelegatee().deserializeWithType(parser, context, type);
        }
    }

    /** A bean of which the properties are those of another. */
    private static final class Inlined extends DelegatingDeserializer {

        Inlined(ValueDeserializer<?> own) {
            super(own);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Inlined(own);
        }

        @Override
        public ValueDeserializer<Object> unwrappingDeserializer(DeserializationContext context, NameTransformer names) {
            return new Inlined(getDelegatee().unwrappingDeserializer(context, names));
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            Found found = Found.of(context);
            if (found != null) {
                found.addInlined(names(getDelegatee(), Set.of()));
            }
            return super.deserialize(parser, context);
        }
    }

    private static final class Constants extends DelegatingDeserializer {

        private final Class<?> type;

        Constants(ValueDeserializer<?> own, Class<?> type) {
            super(own);
            this.type = type;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Constants(own, type);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            Found found = Found.of(context);
            if (found != null) {
                found.addConstant(parser, type);
            }
            return super.deserialize(parser, context);
        }
    }

    private static final class Keys extends KeyDeserializer {

        private final KeyDeserializer own;
        private final Class<?> type;

        Keys(KeyDeserializer own, Class<?> type) {
            this.own = own;
            this.type = type;
        }

        @Override
        public @Nullable Object deserializeKey(String key, DeserializationContext context) {
            Found found = Found.of(context);
            if (found != null) {
                found.addKey(key, type);
            }
            return own.deserializeKey(key, context);
        }
    }
}
