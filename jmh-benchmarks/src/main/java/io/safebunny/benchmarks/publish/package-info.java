// SPDX-License-Identifier: Apache-2.0
/** Contests: publishing, until the broker has confirmed. */
@NullMarked
package io.safebunny.benchmarks.publish;

import org.jspecify.annotations.NullMarked;
