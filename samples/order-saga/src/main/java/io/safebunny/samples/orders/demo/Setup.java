// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What nodes need to run, in this process or another.
 *
 * @param embedded whether their broker is inside the process
 * @param properties of Spring Boot, for all of them
 * @param http the port of the first of them, 0 for any; {@code null} if they answer nobody
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
            // nobody wants to watch a demo waiting for the usual half minute
            properties.put("safebunny.dedup.lease", InstanceProcess.LEASE.toSeconds() + "s");
        }
        return new Setup(options.chaos(), options.seed(), options.rabbit() == null, properties, options.http());
    }

    /** Without the properties: they hold passwords. */
    @Override
    public String toString() {
        return "Setup[chaos=%s, seed=%d, embedded=%s]".formatted(chaos, seed, embedded);
    }
}
