// SPDX-License-Identifier: Apache-2.0
/** Measurements: JMH for what happens in memory, a runner for what happens on a broker. */
@NullMarked
package io.safebunny.benchmarks;

import org.jspecify.annotations.NullMarked;
