// SPDX-License-Identifier: Apache-2.0
/** Where one scenario is played: its processes, its queues, its store, and what they leave behind. */
@NullMarked
package io.safebunny.proof.matrix.stage;

import org.jspecify.annotations.NullMarked;
