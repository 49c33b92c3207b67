// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.autoconfigure.properties.IdsProperties;
import io.safebunny.identity.IdScheme;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The scheme by which message ids are computed. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdsProperties.class)
final class IdsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    IdScheme safeBunnyIdScheme(IdsProperties properties) {
        return properties.toScheme();
    }
}
