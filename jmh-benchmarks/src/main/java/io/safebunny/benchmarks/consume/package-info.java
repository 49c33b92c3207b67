// SPDX-License-Identifier: Apache-2.0
/** Consuming what waits in a queue. */
@NullMarked
package io.safebunny.benchmarks.consume;

import org.jspecify.annotations.NullMarked;
