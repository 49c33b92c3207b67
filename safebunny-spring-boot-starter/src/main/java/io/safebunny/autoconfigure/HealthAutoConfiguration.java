// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.engine.SafeBunnyOptions;
import io.safebunny.spi.transport.Transport;
import java.util.Locale;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of this node as {@code safebunny}, where Spring Boot's health support is on the class path. */
@AutoConfiguration(after = SafeBunnyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(SafeBunnyEngine.class)
@ConditionalOnEnabledHealthIndicator("safebunny")
final class HealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"safebunnyHealthIndicator", "safebunnyHealthContributor"})
    SafeBunnyHealthIndicator safebunnyHealthIndicator(
            SafeBunnyEngine engine, BunnyCircuitBreaker breaker, SafeBunnyOptions options, Transport transport) {
        return new SafeBunnyHealthIndicator(engine, breaker, options.node(), nameOf(transport));
    }

    /** {@code rabbit}, {@code memory}, or the class name of the application's own transport without "Transport". */
    private static String nameOf(Transport transport) {
        String name = transport.getClass().getSimpleName().replace("Transport", "");
        return name.toLowerCase(Locale.ROOT);
    }
}
