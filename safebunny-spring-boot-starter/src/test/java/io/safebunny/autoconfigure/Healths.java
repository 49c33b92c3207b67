// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.util.Objects;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;

/** Parts of the health of a node, as the endpoint would ask for them. */
final class Healths {

    private Healths() {}

    static Health part(ApplicationContext context, String part) {
        CompositeHealthContributor all =
                context.getBean("safebunnyHealthContributor", CompositeHealthContributor.class);
        HealthIndicator indicator = (HealthIndicator) Objects.requireNonNull(all.getContributor(part), part);
        return Objects.requireNonNull(indicator.health());
    }
}
