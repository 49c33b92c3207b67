// SPDX-License-Identifier: Apache-2.0
/** Contests: consuming a queue's backlog. */
@NullMarked
package io.safebunny.benchmarks.consume;

import org.jspecify.annotations.NullMarked;
