// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.health;

import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Ranks {@code DEGRADED} among the statuses, as a default of lowest precedence. Spring Boot ignores unranked statuses when it
 * aggregates them: a node with stuck sagas would be {@code UP}.
 */
public final class HealthStatusOrder implements EnvironmentPostProcessor {

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (environment.getProperty("safebunny.enabled", Boolean.class, true)) {
            environment
                    .getPropertySources()
                    .addLast(new MapPropertySource(
                            "safeBunnyHealthStatusOrder",
                            Map.of(
                                    "management.endpoint.health.status.order",
                                    "down,out-of-service,degraded,up,unknown")));
        }
    }
}
