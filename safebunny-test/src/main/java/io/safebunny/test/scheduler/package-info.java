// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the tasks of several processes one at a time and in virtual time, so that a run depends on nothing but its choices: the same
 * choices, the same run.
 */
@NullMarked
package io.safebunny.test.scheduler;

import org.jspecify.annotations.NullMarked;
