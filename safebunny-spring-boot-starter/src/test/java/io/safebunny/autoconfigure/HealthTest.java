// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.transport.Transport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;

class HealthTest {

    @Test
    void tellsNodeAndTransport() {
        Nodes.memory().run(context -> {
            Health health = context.getBean(SafeBunnyHealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("node", "shop")
                    .containsEntry("transport", "memory")
                    .containsEntry("detail", "in-memory broker");
        });
    }

    @Test
    void isDownWhenTheTransportIs() {
        Nodes.memory().run(context -> {
            context.getBean(Transport.class).close();
            assertThat(context.getBean(SafeBunnyHealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.DOWN);
        });
    }

    @Test
    void canBeSwitchedOff() {
        Nodes.memory()
                .withPropertyValues("management.health.safebunny.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SafeBunnyHealthIndicator.class));
    }

    @Test
    void needsNoHealthSupport() {
        Nodes.memory()
                .withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("safebunnyHealthIndicator"));
    }
}
