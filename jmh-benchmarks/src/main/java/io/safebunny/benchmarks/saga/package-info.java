// SPDX-License-Identifier: Apache-2.0
/** A saga of four messages through three nodes, from its beginning to its end. */
@NullMarked
package io.safebunny.benchmarks.saga;

import org.jspecify.annotations.NullMarked;
