// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What nodes need in order to run, in this process or another. Immutable.
 *
 * @param embedded whether they use the in-process broker
 * @param properties Spring Boot properties for all of them
 * @param http port of the first node, 0 for any free one; {@code null} if they serve no HTTP
 */
record Setup(
        boolean chaos,
        long seed,
        boolean embedded,
        Map<String, String> properties,
        @Nullable Integer http) {

    static Setup of(Options options, Storage storage) {
        Map<String, String> properties = new LinkedHashMap<>(storage.properties());
        properties.put("safebunny.transport", options.rabbit() == null ? "memory" : "rabbit");
        if (options.rabbit() != null) {
            properties.putAll(options.rabbit().properties());
        }
        if (options.node() != null) {
            properties.put("logging.level.io.safebunny", "info");
        }
        if (options.http() != null) {
            properties.put("spring.profiles.active", "http");
        }
        if (options.kill()) {
            // nobody wants to watch a demo wait for the default half minute
            properties.put("safebunny.dedup.lease", InstanceProcess.LEASE.toSeconds() + "s");
        }
        return new Setup(options.chaos(), options.seed(), options.rabbit() == null, properties, options.http());
    }

    /** Leaves out the properties, which contain passwords. */
    @Override
    public String toString() {
        return "Setup[chaos=%s, seed=%d, embedded=%s]".formatted(chaos, seed, embedded);
    }
}
