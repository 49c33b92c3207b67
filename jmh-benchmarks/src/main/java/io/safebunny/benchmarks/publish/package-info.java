// SPDX-License-Identifier: Apache-2.0
/** Publishing, until the broker has confirmed. */
@NullMarked
package io.safebunny.benchmarks.publish;

import org.jspecify.annotations.NullMarked;
