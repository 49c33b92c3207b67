// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.autoconfigure.properties.CircuitBreakerProperties;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.concurrency.Workers;
import io.safebunny.time.Timeline;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The {@link BunnyCircuitBreaker}. The engine publishes its state changes as application events. */
@AutoConfiguration(after = ThreadsAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@EnableConfigurationProperties(CircuitBreakerProperties.class)
final class CircuitBreakerAutoConfiguration {

    @Bean(destroyMethod = "") // Spring would infer close() as the destroy method, which would resume all types
    @ConditionalOnMissingBean
    CircuitBreakers bunnyCircuitBreaker(CircuitBreakerProperties properties, Timeline timeline, Workers workers) {
        return new CircuitBreakers(properties.toSettings(), timeline, workers.executor());
    }
}
