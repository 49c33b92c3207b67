// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the application's own handlers in several processes, in virtual time, through every fault at every point of the protocol and
 * combinations of faults, until an invariant is violated; then finds the shortest schedule that leads there.
 */
@NullMarked
package io.safebunny.test.simulation;

import org.jspecify.annotations.NullMarked;
