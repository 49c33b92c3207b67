// SPDX-License-Identifier: Apache-2.0
/** A private database for the contests. */
@NullMarked
package io.safebunny.benchmarks.database;

import org.jspecify.annotations.NullMarked;
