// SPDX-License-Identifier: Apache-2.0
/** The node {@code shipping} as a participant: keeps goods, ships them, and undoes both when it is told to. */
@NullMarked
package io.safebunny.samples.orders.orchestrated.shipping;

import org.jspecify.annotations.NullMarked;
