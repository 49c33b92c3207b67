// SPDX-License-Identifier: Apache-2.0
package io.safebunny.protobuf.autoconfigure;

import io.safebunny.protobuf.ProtobufMessageSerializer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Reads and writes the classes that protoc generates. */
@AutoConfiguration(beforeName = "io.safebunny.autoconfigure.SerializationAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
final class ProtobufAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ProtobufMessageSerializer safeBunnyProtobufSerializer() {
        return new ProtobufMessageSerializer();
    }
}
