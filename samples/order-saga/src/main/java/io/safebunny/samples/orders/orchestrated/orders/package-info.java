// SPDX-License-Identifier: Apache-2.0
/** The node {@code orders} with an orchestrator: the saga decides, and the order book notes what became of each order. */
@NullMarked
package io.safebunny.samples.orders.orchestrated.orders;

import org.jspecify.annotations.NullMarked;
