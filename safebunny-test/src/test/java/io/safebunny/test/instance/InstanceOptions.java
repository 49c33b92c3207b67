// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.instance;

import java.time.Duration;
import java.util.List;

/**
 * @param node consumes and publishes
 * @param addresses of the broker, {@code host:port,…}
 * @param handling how long a job takes
 * @param remembers whether handled messages are remembered, in memory
 * @param publishTimeout how long a publication may take
 */
public record InstanceOptions(
        String node,
        String addresses,
        int prefetch,
        int deliveryLimit,
        Duration handling,
        boolean remembers,
        Duration publishTimeout) {

    /** A minute to publish. */
    public InstanceOptions(
            String node, String addresses, int prefetch, int deliveryLimit, Duration handling, boolean remembers) {
        this(node, addresses, prefetch, deliveryLimit, handling, remembers, Duration.ofMinutes(1));
    }

    List<String> toArguments() {
        return List.of(
                node,
                addresses,
                Integer.toString(prefetch),
                Integer.toString(deliveryLimit),
                handling.toString(),
                Boolean.toString(remembers),
                publishTimeout.toString());
    }

    /** What the arguments of an instance's process say. */
    public static InstanceOptions of(String... arguments) {
        return new InstanceOptions(
                arguments[0],
                arguments[1],
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3]),
                Duration.parse(arguments[4]),
                Boolean.parseBoolean(arguments[5]),
                Duration.parse(arguments[6]));
    }
}
