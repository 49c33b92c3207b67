// SPDX-License-Identifier: Apache-2.0
/** Messages in order, on instances that are killed and frozen, and how fast that is: rows of {@code bin/order-proof}. */
@NullMarked
package io.safebunny.proof.rows.lanes;

import org.jspecify.annotations.NullMarked;
