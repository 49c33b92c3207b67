// SPDX-License-Identifier: Apache-2.0
/** A database of one's own. */
@NullMarked
package io.safebunny.benchmarks.database;

import org.jspecify.annotations.NullMarked;
