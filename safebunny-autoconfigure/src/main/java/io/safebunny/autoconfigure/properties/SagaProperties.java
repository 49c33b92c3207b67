// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.node.SafeBunnyOptions;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Sagas with state.
 *
 * @param retention How long sagas that have ended can be found at least. Later messages to them are ignored as long, and count as messages
 *     to an unknown saga afterwards.
 */
@ConfigurationProperties("safebunny.saga")
public record SagaProperties(@DefaultValue("30d") Duration retention) implements NodeProperties {

    public SagaProperties {
        InvalidProperty.unlessWithin(
                Duration.ofSeconds(1), Duration.ofDays(3650), "safebunny.saga.retention", retention, "30d");
    }

    @Override
    public SafeBunnyOptions applyTo(SafeBunnyOptions options) {
        return options.withSagaRetention(retention);
    }
}
