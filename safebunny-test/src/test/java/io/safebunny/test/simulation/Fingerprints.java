// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

/** What some schedules come to, to be compared with what they come to elsewhere. */
final class Fingerprints {

    /** All single faults, and a thousand schedules at random. */
    private static final int SCHEDULES = 1_500;

    private Fingerprints() {}

    public static void main(String[] arguments) {
        System.out.println(all());
    }

    static String all() {
        return Simulation.of(Orders::declare).fingerprints(SCHEDULES, 1).toString();
    }
}
