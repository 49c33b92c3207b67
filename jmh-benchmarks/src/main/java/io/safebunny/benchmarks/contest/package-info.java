// SPDX-License-Identifier: Apache-2.0
/** Contests: several ways to do the same work, measured in turn. */
@NullMarked
package io.safebunny.benchmarks.contest;

import org.jspecify.annotations.NullMarked;
