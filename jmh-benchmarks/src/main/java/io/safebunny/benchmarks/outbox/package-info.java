// SPDX-License-Identifier: Apache-2.0
/** Contests: publishing in the application's transactions. */
@NullMarked
package io.safebunny.benchmarks.outbox;

import org.jspecify.annotations.NullMarked;
