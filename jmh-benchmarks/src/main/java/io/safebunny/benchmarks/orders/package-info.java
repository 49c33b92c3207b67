// SPDX-License-Identifier: Apache-2.0
/** A saga of four steps, each with an effect in PostgreSQL, by SafeBunny and by libraries that people use instead. */
@NullMarked
package io.safebunny.benchmarks.orders;

import org.jspecify.annotations.NullMarked;
