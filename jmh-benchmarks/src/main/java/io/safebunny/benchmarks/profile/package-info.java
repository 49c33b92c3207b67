// SPDX-License-Identifier: Apache-2.0
/** Whose code the processors are busy with. */
@NullMarked
package io.safebunny.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
