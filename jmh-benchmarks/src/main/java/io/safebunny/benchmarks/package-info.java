// SPDX-License-Identifier: Apache-2.0
/** Measurements: JMH benchmarks for work in memory, contests for work on a broker. */
@NullMarked
package io.safebunny.benchmarks;

import org.jspecify.annotations.NullMarked;
