// SPDX-License-Identifier: Apache-2.0
/** The proofs that {@code bin/saga-proof} runs: one row each, with a target, what was measured, and whether it was met. */
@NullMarked
package io.safebunny.crash.proof;

import org.jspecify.annotations.NullMarked;
