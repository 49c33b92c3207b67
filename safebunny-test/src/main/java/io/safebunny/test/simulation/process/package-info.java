// SPDX-License-Identifier: Apache-2.0
/**
 * The surroundings of the handlers of one simulated process: their connection, how they are found, and the calls that are forbidden to
 * them.
 */
@NullMarked
package io.safebunny.test.simulation.process;

import org.jspecify.annotations.NullMarked;
