// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.transport.TransportStatus;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Up while messages flow in both directions, as far as the transport knows; asks nobody and costs nothing. Thread-safe.
 */
final class SafeBunnyHealthIndicator implements HealthIndicator {

    private final SafeBunnyEngine engine;
    private final String node;
    private final String transport;

    SafeBunnyHealthIndicator(SafeBunnyEngine engine, String node, String transport) {
        this.engine = engine;
        this.node = node;
        this.transport = transport;
    }

    @Override
    public Health health() {
        TransportStatus status = engine.status();
        return (status.usable() ? Health.up() : Health.down())
                .withDetail("node", node)
                .withDetail("transport", transport)
                .withDetail("detail", status.detail())
                .build();
    }
}
