// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.autoconfigure.health.HealthDefaults;
import java.util.Objects;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The health of a node: its parts, and Spring Boot's endpoint. */
final class Healths {

    private Healths() {}

    static Health part(ApplicationContext context, String part) {
        CompositeHealthContributor all =
                context.getBean("safebunnyHealthContributor", CompositeHealthContributor.class);
        HealthIndicator indicator = (HealthIndicator) Objects.requireNonNull(all.getContributor(part), part);
        return Objects.requireNonNull(indicator.health());
    }

    /** With Spring Boot's endpoint and probes, as an application has it on Kubernetes. */
    static ApplicationContextRunner withEndpoint(ApplicationContextRunner runner) {
        return runner.withInitializer(context ->
                        new HealthDefaults().postProcessEnvironment(context.getEnvironment(), new SpringApplication()))
                .withConfiguration(AutoConfigurations.of(
                        ApplicationAvailabilityAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        AvailabilityProbesAutoConfiguration.class,
                        HealthEndpointAutoConfiguration.class,
                        EndpointAutoConfiguration.class))
                .withPropertyValues("management.endpoint.health.probes.enabled=true");
    }

    /** After the events that Spring Boot's run method publishes, and a context runner does not. */
    static HealthEndpoint ready(ApplicationContext context) {
        AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
        AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
        return context.getBean(HealthEndpoint.class);
    }

    /** Of what is at {@code /actuator/health/{path}}. */
    static Status statusOf(HealthEndpoint endpoint, String... path) {
        return Objects.requireNonNull(endpoint.healthForPath(path), String.join("/", path))
                .getStatus();
    }
}
