// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.autoconfigure.properties.BodiesProperties;
import io.safebunny.autoconfigure.properties.PublisherProperties;
import io.safebunny.autoconfigure.properties.SafeBunnyProperties;
import io.safebunny.bodies.ClaimCheck;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.node.Codecs;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import tools.jackson.databind.json.JsonMapper;

/**
 * Collects all {@link MessageSerializer} beans in order, with JSON after the application's own, and all {@link BodyCodec} beans.
 */
@AutoConfiguration(afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
final class SerializationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @Order(Ordered.LOWEST_PRECEDENCE)
    JsonMessageSerializer safeBunnyJsonSerializer(
            ObjectProvider<JsonMapper> mappers, ListableBeanFactory beans, SafeBunnyProperties properties) {
        try {
            return new JsonMessageSerializer(
                    mappers.getIfAvailable(JsonMapper::shared),
                    properties.maxMessageSize().toBytes());
        } catch (ConfigurationException e) {
            String names = String.join(", ", beans.getBeanNamesForType(JsonMapper.class));
            throw new ConfigurationException(e.code(), "%s The bean is %s.".formatted(e.problem(), names), e.action());
        }
    }

    @Bean
    @ConditionalOnMissingBean
    Serializers safeBunnySerializers(ObjectProvider<MessageSerializer> serializers) {
        return new Serializers(serializers.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    Codecs safeBunnyCodecs(
            ObjectProvider<BodyCodec> codecs,
            ObjectProvider<ClaimCheck> claimChecks,
            PublisherProperties publisher,
            BodiesProperties bodies,
            SafeBunnyProperties properties) {
        return new Codecs(
                codecs.orderedStream().toList(),
                publisher.encoding(),
                bodies.compression(properties.maxMessageSize()),
                claimChecks.getIfAvailable());
    }
}
