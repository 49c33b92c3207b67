// SPDX-License-Identifier: Apache-2.0
/** Contests: a saga of four messages through three nodes, from beginning to end. */
@NullMarked
package io.safebunny.benchmarks.saga;

import org.jspecify.annotations.NullMarked;
