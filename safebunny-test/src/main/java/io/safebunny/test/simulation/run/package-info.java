// SPDX-License-Identifier: Apache-2.0
/** One run of a simulation: which faults strike where, what happened, and what came of it. */
@NullMarked
package io.safebunny.test.simulation.run;

import org.jspecify.annotations.NullMarked;
