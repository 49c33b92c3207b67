// SPDX-License-Identifier: Apache-2.0
/** The ledger: all contests in one run, and its reports. */
@NullMarked
package io.safebunny.benchmarks.ledger;

import org.jspecify.annotations.NullMarked;
