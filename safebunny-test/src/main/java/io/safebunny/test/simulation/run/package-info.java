// SPDX-License-Identifier: Apache-2.0
/** One run of a simulation: the faults and where they occur, what happened, and the outcome. */
@NullMarked
package io.safebunny.test.simulation.run;

import org.jspecify.annotations.NullMarked;
