// SPDX-License-Identifier: Apache-2.0
/** The scenarios, their cells, and what must be true after each. */
@NullMarked
package io.safebunny.proof.matrix;

import org.jspecify.annotations.NullMarked;
