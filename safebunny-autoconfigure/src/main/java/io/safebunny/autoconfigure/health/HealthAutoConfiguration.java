// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.health;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.rabbit.preflight.TopologyWatch;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of this node as {@code safebunny}, where Spring Boot's health support is on the class path. */
@AutoConfiguration(afterName = "io.safebunny.autoconfigure.SafeBunnyAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(SafeBunnyEngine.class)
@ConditionalOnEnabledHealthIndicator("safebunny")
final class HealthAutoConfiguration {

    /** Ordered by what an operator looks at first. */
    @Bean
    @ConditionalOnMissingBean(name = {"safebunnyHealthIndicator", "safebunnyHealthContributor"})
    CompositeHealthContributor safebunnyHealthContributor(SafeBunnyEngine engine, ObjectProvider<TopologyWatch> watch) {
        Map<String, HealthIndicator> parts = new LinkedHashMap<>();
        engine.conditions().forEach((part, condition) -> parts.put(part, () -> NodeHealth.of(condition.get())));
        watch.ifAvailable(present -> {
            if (present.asks()) {
                parts.put("topology", () -> NodeHealth.of(present.condition()));
            }
        });
        return CompositeHealthContributor.fromMap(parts);
    }
}
