// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.health;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Defaults of lowest precedence for Spring Boot's health. Ranks {@code DEGRADED} among the statuses: Spring Boot ignores unranked ones when it
 * aggregates them, so a node with stuck sagas would be {@code UP}. With messages in memory, switches off Spring Boot's look at a broker that
 * nothing says is there: the application would be {@code DOWN}.
 */
public final class HealthDefaults implements EnvironmentPostProcessor {

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (!environment.getProperty("safebunny.enabled", Boolean.class, true)) {
            return;
        }
        Map<String, Object> defaults = new HashMap<>();
        defaults.put("management.endpoint.health.status.order", "down,out-of-service,degraded,up,unknown");
        boolean isInMemory = "memory".equals(environment.getProperty("safebunny.transport"));
        boolean isBrokerNamed = Stream.of(
                        "spring.rabbitmq.host", "spring.rabbitmq.addresses", "spring.rabbitmq.addresses[0]")
                .anyMatch(environment::containsProperty);
        if (isInMemory && !isBrokerNamed) {
            defaults.put("management.health.rabbit.enabled", "false");
        }
        environment.getPropertySources().addLast(new MapPropertySource("safeBunnyHealthDefaults", defaults));
    }
}
