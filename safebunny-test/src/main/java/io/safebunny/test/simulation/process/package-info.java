// SPDX-License-Identifier: Apache-2.0
/** What surrounds the handlers of one simulated process: its connection, its scan, and what it may not call. */
@NullMarked
package io.safebunny.test.simulation.process;

import org.jspecify.annotations.NullMarked;
