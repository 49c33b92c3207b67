// SPDX-License-Identifier: Apache-2.0
/** A profiler that tells whose code the processors are busy with. */
@NullMarked
package io.safebunny.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
