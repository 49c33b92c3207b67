// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation;

import io.safebunny.proof.simulation.story.Choreographed;
import io.safebunny.proof.simulation.story.Orchestrated;
import io.safebunny.test.simulation.Simulation;

/** What some schedules of sagas come to, to be compared with what they come to elsewhere. */
final class Fingerprints {

    private static final int SCHEDULES = 700;

    private Fingerprints() {}

    public static void main(String[] arguments) {
        System.out.println(all());
    }

    static String all() {
        return Simulation.of(Orchestrated::racing).fingerprints(SCHEDULES, 1) + " "
                + Simulation.of(Choreographed::repaired).fingerprints(SCHEDULES, 1);
    }
}
