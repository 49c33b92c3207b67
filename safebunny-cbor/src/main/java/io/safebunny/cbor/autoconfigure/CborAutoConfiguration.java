// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cbor.autoconfigure;

import io.safebunny.cbor.CborMessageSerializer;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.serialization.json.JsonMessageSerializer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;

/** Reads CBOR, and writes it for classes that say so. */
@AutoConfiguration(beforeName = "io.safebunny.autoconfigure.SerializationAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
final class CborAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    CborMessageSerializer safeBunnyCborSerializer(
            ObjectProvider<JsonMapper> mappers, ObjectProvider<JsonMessageSerializer> json, SafeBunnyOptions options) {
        Object unused =
                json.stream().findFirst(); // tells better what is wrong with the mapper, unless it has another one
        try {
            return new CborMessageSerializer(mappers.getIfAvailable(JsonMapper::shared), options.maxMessageSize());
        } catch (ConfigurationException e) {
            throw new ConfigurationException(
                    e.code(),
                    e.problem() + " CBOR would be written with it, too.",
                    "Correct the mapper, or define a CborMessageSerializer bean with its own: new CborMessageSerializer(JsonMapper, maxMessageSize).",
                    e);
        }
    }
}
