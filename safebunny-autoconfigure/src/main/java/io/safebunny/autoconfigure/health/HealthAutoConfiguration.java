// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.health;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.rabbit.preflight.TopologyWatch;
import io.safebunny.store.MessageStore;
import io.safebunny.transport.Transport;
import java.util.LinkedHashMap;
import java.util.Locale;
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
    CompositeHealthContributor safebunnyHealthContributor(
            SafeBunnyEngine engine, SafeBunnyParts node, ObjectProvider<TopologyWatch> watch) {
        NodeHealth health = new NodeHealth(engine, node.options().node());
        Transport transport = node.transport();
        MessageStore store = node.store();
        Map<String, HealthIndicator> parts = new LinkedHashMap<>();
        parts.put("broker", () -> health.broker(transport.status(), nameOf(transport)));
        parts.put("poison", health::poison);
        parts.put("publications", health::publications);
        parts.put("breakers", () -> NodeHealth.breakers(node.breakers().statuses()));
        if (store != null) {
            parts.put("store", () -> health.store(store.getClass().getSimpleName()));
            parts.put("sagas", health::sagas);
        }
        watch.ifAvailable(present -> {
            if (present.asks()) {
                parts.put("topology", () -> NodeHealth.topology(present.seen()));
            }
        });
        return CompositeHealthContributor.fromMap(parts);
    }

    /** {@code rabbit}, {@code memory}, or the class name of the application's own transport without "Transport". */
    private static String nameOf(Transport transport) {
        String name = transport.getClass().getSimpleName().replace("Transport", "");
        return name.toLowerCase(Locale.ROOT);
    }
}
