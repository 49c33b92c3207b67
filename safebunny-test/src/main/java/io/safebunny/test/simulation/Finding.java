// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

/**
 * A violation, and the shortest schedule that was found to lead there.
 *
 * @param schedules how many had been run when it was found
 * @param schedule run it again with {@link Simulation#replay}
 * @param report for people: the way there as a diagram, and a test
 */
public record Finding(Violation violation, int schedules, Schedule schedule, String report) {}
