// SPDX-License-Identifier: Apache-2.0
/** The proofs that {@code bin/saga-proof} runs: one row each, with a target, what was measured, and whether it was met. */
@NullMarked
package io.safebunny.proof.rows;

import org.jspecify.annotations.NullMarked;
