// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** What some schedules come to, to be compared with what they come to elsewhere. */
final class Fingerprints {

    /** All single faults, and a thousand schedules at random. */
    private static final int SCHEDULES = 1_500;

    private Fingerprints() {}

    public static void main(String[] arguments) {
        ((Logger) LoggerFactory.getLogger("io.safebunny")).setLevel(Level.OFF);
        System.out.println(all());
    }

    static String all() {
        return Simulation.of(Orders::declare).fingerprints(SCHEDULES, 1).toString();
    }
}
