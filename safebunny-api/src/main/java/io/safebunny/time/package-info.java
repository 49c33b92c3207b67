// SPDX-License-Identifier: Apache-2.0
/**
 * Time and randomness as a dependency: clock, waiting, scheduling, random numbers. Nothing else in this library asks the system for
 * the time, waits with a timeout, or makes a random number.
 */
@NullMarked
package io.safebunny.time;

import org.jspecify.annotations.NullMarked;
