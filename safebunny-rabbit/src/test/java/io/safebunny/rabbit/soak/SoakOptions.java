// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import java.nio.file.Path;
import java.time.Duration;

/**
 * @param duration of faults and traffic
 * @param cluster three brokers instead of one
 * @param seed of the choice of faults; what they hit depends on the moment too
 * @param logs an empty folder
 */
record SoakOptions(Duration duration, boolean cluster, long seed, Path logs) {

    /**
     * @param arguments minutes, {@code true} or {@code false}, seed, folder; {@code bin/soak} has checked them
     */
    static SoakOptions of(String... arguments) {
        return new SoakOptions(
                Duration.ofMinutes(Integer.parseInt(arguments[0])),
                Boolean.parseBoolean(arguments[1]),
                Long.parseLong(arguments[2]),
                Path.of(arguments[3]));
    }
}
