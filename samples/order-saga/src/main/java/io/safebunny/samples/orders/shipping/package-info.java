// SPDX-License-Identifier: Apache-2.0
/** The node {@code shipping}: ships goods as long as they are in stock. */
@NullMarked
package io.safebunny.samples.orders.shipping;

import org.jspecify.annotations.NullMarked;
