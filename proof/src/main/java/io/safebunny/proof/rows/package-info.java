// SPDX-License-Identifier: Apache-2.0
/** What the commands that run proofs have in common: rows, each with a target, what was measured, and whether it was met. */
@NullMarked
package io.safebunny.proof.rows;

import org.jspecify.annotations.NullMarked;
