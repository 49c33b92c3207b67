// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

/**
 * A violation, and the shortest schedule found that leads to it.
 *
 * @param schedules number of schedules that had been run when it was found
 * @param schedule the schedule; {@code Simulation.replay} runs it again
 * @param report readable description with a diagram and a test that replays it
 */
public record Finding(Violation violation, int schedules, Schedule schedule, String report) {}
