// SPDX-License-Identifier: Apache-2.0
/** The node {@code orders}: accepts orders and announces how they ended. */
@NullMarked
package io.safebunny.samples.orders.orders;

import org.jspecify.annotations.NullMarked;
