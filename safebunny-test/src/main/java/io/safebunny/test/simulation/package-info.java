// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the application's own handlers in several processes, in virtual time, through every fault at every point of the protocol and through
 * combinations of them, until something that must hold does not; then finds the shortest way there.
 */
@NullMarked
package io.safebunny.test.simulation;

import org.jspecify.annotations.NullMarked;
