// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the tasks of several processes one at a time and in virtual time, so that a run depends only on its choices: the same choices give
 * the same run.
 */
@NullMarked
package io.safebunny.test.scheduler;

import org.jspecify.annotations.NullMarked;
