// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the application's own handlers in several processes, in virtual time, with every fault at every point of the protocol, and with
 * combinations of faults, until an invariant is violated. Then finds the shortest schedule that leads to the violation.
 */
@NullMarked
package io.safebunny.test.simulation;

import org.jspecify.annotations.NullMarked;
