// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that declares a system to be run through faults: {@code void …(SimulatedSystem system)}. The method is called once per schedule,
 * by several threads, so it must create everything itself and use no fields. The test fails with the first violation: what does not hold,
 * the shortest schedule found, and a method that replays it.
 *
 * @see Simulation
 */
@Test
@ExtendWith(SimulationExtension.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface BunnySimulation {

    /** Maximum number of schedules: first without faults, then each single fault at each point, then random combinations. */
    int schedules() default 300;

    /** Seed of the random faults. */
    long seed() default 1;

    /** Runs only this schedule, copied from a report; empty to explore many. */
    String[] replay() default {};
}
