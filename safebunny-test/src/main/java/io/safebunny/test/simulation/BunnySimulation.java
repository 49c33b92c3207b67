// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that declares a system and has it run through faults: {@code void …(SimulatedSystem system)}. The method is called once for each
 * schedule, by several threads, so it makes everything anew and uses no fields. The test fails with the first violation: what does not hold, the
 * shortest way there, and a method like this one that goes it again.
 *
 * @see Simulation
 */
@Test
@ExtendWith(SimulationExtension.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface BunnySimulation {

    /** How many schedules at most: none without a fault, then each single fault at each point, then several at random. */
    int schedules() default 300;

    /** Another one for other faults at random. */
    long seed() default 1;

    /** The only schedule: what is left out of the system, and what goes wrong, as a report gives it; nothing for many schedules. */
    String[] replay() default {};
}
