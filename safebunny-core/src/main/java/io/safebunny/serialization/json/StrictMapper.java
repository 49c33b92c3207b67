// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.failure.ConfigurationException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Hardens the application's mapper: against hostile bodies with {@link JsonLimits}, without class names and duplicate properties,
 * and with {@link ExactNumbers} and {@link UnknownNames}; against losing the application's own data with {@link EmptyObjects}
 * and, for messages, {@link LostValues}. A builder, because only a builder can replace the mapper's factory, which holds the
 * limits.
 */
final class StrictMapper extends JsonMapper.Builder {

    private StrictMapper(StateImpl mapper, JsonFactory factory) {
        super(mapper);
        _streamFactory = factory;
        _typeResolverProvider = new NoClassNames(typeResolverProvider());
        _problemHandlers = UnknownNames.after(_problemHandlers);
    }

    /**
     * For messages.
     *
     * @throws ConfigurationException SB-1310 if the mapper lets bodies choose classes, or its limits cannot be set
     */
    static JsonMapper of(JsonMapper mapper, JsonLimits limits) {
        LostValues lost = new LostValues();
        JsonMapper strict = hardened(mapper, limits)
                .addModule(new SimpleModule("safebunny-lost").setDeserializerModifier(lost))
                .build();
        lost.writeWith(strict);
        return strict;
    }

    /** For stored data. {@link LostValues} would be too late here: a lost field was lost when it was written. */
    static JsonMapper ofStored(JsonMapper mapper, JsonLimits limits) {
        return hardened(mapper, limits).build();
    }

    private static JsonMapper.Builder hardened(JsonMapper mapper, JsonLimits limits) {
        if (mapper.deserializationConfig().getDefaultTyper(mapper.constructType(Object.class)) != null) {
            throw unsafe(
                    mapper,
                    "it has default typing, with which a body names the classes to instantiate",
                    "Remove activateDefaultTyping or setDefaultTyping from it; if you need subclasses, name them with @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) and @JsonSubTypes.");
        }
        JsonFactory own = mapper.tokenStreamFactory();
        JsonFactory limited = own.rebuild()
                .streamReadConstraints(limits.reading(own.streamReadConstraints()))
                .streamWriteConstraints(limits.writing(own.streamWriteConstraints()))
                .build();
        if (limited.getClass() != own.getClass()) {
            throw unsafe(
                    mapper,
                    "the limits of its factory cannot be set, because %s is rebuilt as another class"
                            .formatted(own.getClass().getName()),
                    "Override rebuild() of the factory, or build the mapper with a JsonFactory.");
        }
        return new StrictMapper((StateImpl) mapper.rebuild().saveStateApplyModules(), limited)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                // 1.75 would become 1
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                // numbers without a declared type would lose digits as doubles
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .addModule(new SimpleModule("safebunny")
                        .setDeserializerModifier(new ExactNumbers())
                        .setSerializerModifier(new EmptyObjects()));
    }

    private static ConfigurationException unsafe(JsonMapper mapper, String why, String action) {
        return new ConfigurationException(
                "SB-1310",
                "The JsonMapper of the application cannot be used for messages [class=%s]: %s."
                        .formatted(mapper.getClass().getName(), why),
                action
                        + " Or declare safebunny-core with scope compile and define a JsonMessageSerializer bean with its own mapper: new JsonMessageSerializer(JsonMapper.builder().build(), maxMessageSize).");
    }
}
